import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parseCommandLine } from '../../../service/settings.ts'
import { assertServiceConforms } from '../../checker/check-served.ts'
import type { Call } from '../../client.ts'
import { connect } from '../../client.ts'
import { takePort } from '../../find-port.ts'
import { long } from '../../long-tests.ts'
import type { TestResponse } from '../../service-suite.ts'
import { parseResponse } from '../../test-response.ts'
import { type Child, folder, run, start } from '../child.ts'
import { executeDirectly } from '../direct-database.ts'
import { until } from '../processes.ts'

/** Sends one checked request on a connection of its own. */
async function ask(url: string, method: string, path: string, call?: Call): Promise<TestResponse> {
  const client = connect(url)
  try {
    const exchange = await client.send(method, path, call)
    const [prefix] = /^\/(flag|env)(?=\/)/.exec(path) ?? []
    assertServiceConforms(exchange, prefix)
    return parseResponse(exchange)
  } finally {
    client.close()
  }
}

const person = (name: string) => ({ data: { type: 'person', attributes: { name } } })

/** Every setting, with its flag and default. */
// biome-ignore format: a table, one setting a row
const settings: readonly (readonly [name: string, flag: string, usual: string])[] = [
  ['HOST',          '--host',          '127.0.0.1'],
  ['PORT',          '--port',          '3000'],
  ['DATABASE_URL',  '--database-url',  'sqlite:data/lapidary.db'],
  ['DATABASE_REPLICA_URLS', '--database-replica-urls', ''],
  ['DATABASE_POOL',    '--database-pool',    '10'],
  ['DATABASE_QUEUE',   '--database-queue',   '1000'],
  ['DATABASE_TIMEOUT', '--database-timeout', '10000'],
  ['DATABASE_POOLER',  '--database-pooler',  'none'],
  ['MIGRATE',       '--migrate',       'auto'],
  ['WORKERS',       '--workers',       '1'],
  ['BASE_PATH',     '--base-path',     ''],
  ['PUBLIC_URL',    '--public-url',    ''],
  ['PAGE_SIZE',     '--page-size',     '30'],
  ['MAX_PAGE_SIZE', '--max-page-size', ''],
  ['MAX_BODY',      '--max-body',      '1048576'],
  ['OPENAPI',       '--openapi',       'on'],
  ['LOG_LEVEL',     '--log-level',     'info'],
  ['SHUTDOWN_DELAY', '--shutdown-delay', '0'],
  ['ACCESS_LOG',    '--access-log',    'on'],
  ['HTML',          '--html',          'on'],
  ['EXPLAIN',       '--explain',       'on'],
  ['ID_MISMATCH',   '--id-mismatch',   ''],
  ['CLIENT_IDS',    '--client-ids',    'discard'],
  ['JSONAPI_VERSION', '--jsonapi-version', '1.0'],
  ['ATOMIC',        '--atomic',        ''],
  ['MAX_OPERATIONS', '--max-operations', '100'],
]

/** Invalid settings, and texts of the line about them. */
type Wrong = readonly [
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
  ...says: string[],
]

// biome-ignore format: a table, one command a row
const wrong: readonly Wrong[] = [
  [{ PORT: 'abc' },   [],                  'PORT', 'abc'],
  [{ PORT: '65536' }, [],                  'PORT', '65536'],
  [{ PORT: '3.5' },   [],                  'PORT', '3.5'],
  [{},                ['--port', 'abc'],   'port', 'abc'],
  [{},                ['--port=-1'],       'port', '-1'],
  [{},                ['--port'],          'port'],
  [{},                ['--prot', '3000'],  '--prot'],
  [{},                ['quux'],            'quux'],
  [
    { PAGE_SIZE: 'x', MAX_PAGE_SIZE: '-5', LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://localhost/x', PUBLIC_URL: 'example', BASE_PATH: 'api' },
    [],
    'PAGE_SIZE', 'MAX_PAGE_SIZE', '-5', 'LOG_LEVEL', 'loud', 'DATABASE_URL', 'mysql', 'PUBLIC_URL', 'example', 'BASE_PATH', '"api"',
  ],
  [
    { PAGE_SIZE: '0', MAX_PAGE_SIZE: '0', DATABASE_URL: 'lapidary.db', PUBLIC_URL: 'ftp://example.org', BASE_PATH: '/a b' },
    ['--port', 'abc'],
    'PORT', 'PAGE_SIZE', 'MAX_PAGE_SIZE', 'DATABASE_URL', 'lapidary.db', 'PUBLIC_URL', 'ftp', 'BASE_PATH', '/a b',
  ],
  [
    { DATABASE_URL: 'postgres://', DATABASE_REPLICA_URLS: 'sqlite:a.db', DATABASE_POOL: '0', DATABASE_QUEUE: '-1', DATABASE_TIMEOUT: '0', DATABASE_POOLER: 'session', MIGRATE: 'yes', WORKERS: '0' },
    [],
    'DATABASE_URL', 'DATABASE_REPLICA_URLS', 'sqlite:a.db', 'DATABASE_POOL', 'DATABASE_QUEUE', 'DATABASE_TIMEOUT', 'DATABASE_POOLER', 'session', 'MIGRATE', 'yes', 'WORKERS', 'auto',
  ],
  [
    { DATABASE_URL: 'sqlite:', PUBLIC_URL: 'https://example.org/path', BASE_PATH: '/api?x=1' },
    [],
    'DATABASE_URL', 'PUBLIC_URL', '/path', 'BASE_PATH', '?x=1',
  ],
]

/** Parses an invalid command line and returns the error message. */
function errorOf(args: readonly string[], environment: Readonly<Record<string, string>>): string {
  let message = ''
  assert.throws(
    () => parseCommandLine(args, environment),
    (error) => {
      assert.ok(error instanceof Error)
      message = error.message
      return true
    },
  )
  return message
}

/** A command line as a shell shows it. */
function describeCommand(
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
): string {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  return [...variables, 'lapidary', ...args].join(' ')
}

describe('Settings', () => {
  it('given --help, then each is listed with its flag and default, and the exit code is 0', async (test) => {
    const { code, stdout } = await run(test, ['--help'])
    assert.equal(code, 0)
    for (const [name, flag, usual] of settings) {
      for (const word of [name, flag, usual])
        assert.ok(stdout.includes(word), `${word} in ${stdout}`)
    }
    assert.ok(stdout.includes('--demo'), stdout)
  })

  for (const [environment, args, ...says] of wrong)
    it(`given ${describeCommand(environment, args)}, then one line names every invalid setting`, () => {
      const message = errorOf(args, environment)
      assert.doesNotMatch(message, /\n/)
      for (const word of says)
        assert.ok(message.toLowerCase().includes(word.toLowerCase()), `${word}: ${message}`)
    })

  it('given an invalid one, then it is reported once, without further errors', () => {
    const message = errorOf([], { PAGE_SIZE: '30', MAX_PAGE_SIZE: '0' })
    const range = `from 1 to ${Number.MAX_SAFE_INTEGER}`
    assert.equal(message, `MAX_PAGE_SIZE must be a whole number ${range}; it is "0"`)
  })

  it('given invalid ones, then the process ends with one line and exit code 2', async (test) => {
    const [environment, args] = [{ PAGE_SIZE: 'x', BASE_PATH: 'api' }, ['--port', 'abc']]
    const { code, stdout, stderr } = await run(test, args, environment)
    const message = errorOf(args, environment)
    assert.deepEqual([code, stdout, stderr], [2, '', `lapidary: ${message}\n`])
  })

  it('given an address that is in use, then the process ends with one line that names it', async (test) => {
    const port = String(await takePort(test))
    const { code, stderr } = await run(test, [], { PORT: port, DATABASE_URL: 'sqlite::memory:' })
    assert.ok(code !== 0 && code !== null, stderr)
    assert.ok(stderr.includes(port), stderr)
    assert.doesNotMatch(stderr, /^\s+at /m)
  })

  it('given an environment variable and a flag, then the flag wins', async (test) => {
    const environment = { DATABASE_URL: 'sqlite::memory:', BASE_PATH: '/env', PAGE_SIZE: '2' }
    const args = [
      '--base-path=/flag',
      '--public-url',
      'https://api.example.org',
      '--max-page-size=7',
    ]
    const { url } = await start(test, await folder(test), args, environment)
    assert.equal((await ask(url, 'GET', '/env/persons')).status, 404)
    for (const name of ['a', 'b', 'c'])
      await ask(url, 'POST', '/flag/persons', { body: person(name) })
    const response = await ask(url, 'GET', '/flag/persons')
    assert.equal(response.many.length, 2)
    assert.ok(
      response.body.links?.self?.startsWith('https://api.example.org/flag/persons'),
      response.text,
    )
    assert.equal((await ask(url, 'GET', '/flag/persons?page[size]=8')).status, 400)
  })
})

describe('A start', () => {
  it('creates the database file and its tables, and prints the address, the database and three URLs to try', async (test) => {
    const cwd = await folder(test)
    const child = await start(test, cwd)
    await stat(join(cwd, 'data', 'lapidary.db'))
    const printed = child.printed()
    assert.ok(printed.includes('lapidary.db'), printed)
    const urls = new Set(printed.match(/https?:\/\/[^\s"',]+/g))
    urls.delete(child.url)
    assert.equal(urls.size, 3, printed)
    for (const url of [child.url, ...urls]) {
      assert.ok(url.startsWith(child.url))
      const path = url.slice(child.url.length) || '/'
      assert.equal((await ask(child.url, 'GET', path)).status, 200, url)
    }
  })

  it(
    'given an address that other machines reach and no allowed hosts, then one line warns of links',
    long,
    async (test) => {
      // An address of no machine, so that the start fails after the warning.
      const args = ['--host', '192.0.2.1', '--port', '0', '--database-url', 'sqlite::memory:']
      const { stderr } = await run(test, args, { SECRET: 'a secret of enough characters' })
      const [warning = '', ...rest] = stderr.trimEnd().split('\n')
      assert.match(
        warning,
        /^lapidary: HOST is 192\.0\.2\.1, and neither PUBLIC_URL nor ALLOWED_HOSTS/,
      )
      assert.equal(rest.length, 1, stderr)
    },
  )

  it('given no secret, then one line says how long tokens are valid', async (test) => {
    const args = ['--database-url', 'sqlite::memory:']
    const cwd = await folder(test)
    const without = await start(test, cwd, args)
    await until(() => /^Without SECRET, cursors/m.test(without.printed()), without.printed())
    const secret = 'a secret of enough characters'
    const child = await start(test, cwd, [...args, '--secret', secret])
    await child.end('SIGTERM')
    assert.doesNotMatch(child.printed(), /SECRET|a secret/)
  })

  it(
    'given allowed hosts, or an address of this machine, then no line warns of links',
    long,
    async (test) => {
      const args = ['--host', '192.0.2.1', '--port', '0', '--database-url', 'sqlite::memory:']
      for (const known of [{ PUBLIC_URL: 'https://example.org' }, { ALLOWED_HOSTS: 'example.org' }])
        assert.doesNotMatch((await run(test, args, known)).stderr, /neither/)
      for (const host of ['127.0.0.1', 'localhost']) {
        const child = await start(test, await folder(test), ['--host', host])
        assert.doesNotMatch(child.printed(), /neither/)
      }
    },
  )

  it('keeps the rows of the run before', long, async (test) => {
    const cwd = await folder(test)
    const args = ['--database-url', `sqlite:${join(cwd, 'new', 'folder', 'kept.db')}`]
    const first = await start(test, cwd, args)
    const created = await ask(first.url, 'POST', '/persons', { body: person('Ada') })
    assert.equal(created.status, 201)
    assert.equal((await first.end('SIGTERM')).code, 0)
    const second = await start(test, cwd, args)
    assert.deepEqual((await ask(second.url, 'GET', `/persons/${created.one.id}`)).one, created.one)
  })

  it('keeps acknowledged writes if the process was killed', long, async (test) => {
    const cwd = await folder(test)
    const first = await start(test, cwd)
    for (let each = 1; each <= 5; each++) {
      const created = await ask(first.url, 'POST', '/persons', { body: person(`n${each}`) })
      assert.equal(created.status, 201)
    }
    await first.end('SIGKILL')
    const second = await start(test, cwd)
    assert.equal((await ask(second.url, 'GET', '/persons')).body.meta?.count, 5)
  })

  it(
    'given --demo, then an empty database is filled with persons and computers',
    long,
    async (test) => {
      const cwd = await folder(test)
      const demo = await start(test, cwd, ['--demo'])
      const count = async (path: string) =>
        Number((await ask(demo.url, 'GET', path)).body.meta?.count)
      const [persons, computers] = [await count('/persons'), await count('/computers')]
      assert.ok(persons >= 100 && computers >= 100, `${persons} persons and ${computers} computers`)
      const owned = '/computers?filter=[{"name":"owner","op":"has"}]'
      assert.ok((await count(owned)) > computers / 2)
    },
  )

  it('given --demo, then a database with rows is not changed', long, async (test) => {
    const cwd = await folder(test)
    const count = async ({ url }: Child) => (await ask(url, 'GET', '/persons')).body.meta?.count
    const demo = await start(test, cwd, ['--demo'])
    const persons = await count(demo)
    await demo.end('SIGTERM')
    const again = await start(test, cwd, ['--demo'])
    assert.equal(await count(again), persons)
    await again.end('SIGTERM')
    const other = await folder(test)
    const plain = await start(test, other)
    await ask(plain.url, 'POST', '/persons', { body: person('Ada') })
    await plain.end('SIGTERM')
    const filled = await start(test, other, ['--demo'])
    assert.equal(await count(filled), 1)
  })
})

describe('A stop', () => {
  // `test/failures/stop.test.ts` sends both too.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`${signal}: ends with exit code 0`, long, async (test) => {
      const child = await start(test, await folder(test))
      assert.equal((await ask(child.url, 'GET', '/persons')).status, 200)
      const { code, stdout } = await child.end(signal)
      assert.equal(code, 0, stdout)
    })
  }

  it('given an idle connection, then it does not delay the stop', long, async (test) => {
    const child = await start(test, await folder(test))
    const client = connect(child.url)
    test.after(() => client.close())
    assert.equal((await client.send('GET', '/persons')).status, 200)
    const before = Date.now()
    assert.equal((await child.end('SIGTERM')).code, 0)
    assert.ok(Date.now() - before < 5_000)
  })
})

describe('An internal error', () => {
  it('is logged completely, with the id of the response', async (test) => {
    const cwd = await folder(test)
    const child = await start(test, cwd)
    const url = `sqlite:${join(cwd, 'data', 'lapidary.db')}`
    await executeDirectly(url, 'alter table computer rename to elsewhere')
    const response = await ask(child.url, 'GET', '/computers')
    assert.equal(response.status, 500)
    const id = response.error.id ?? 'no id'
    await child.end('SIGTERM')
    const line =
      child
        .printed()
        .split('\n')
        .find((each) => each.includes(id)) ?? ''
    assert.match(line, /no such table/, child.printed())
  })
})
