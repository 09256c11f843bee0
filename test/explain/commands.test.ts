import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { attribute, createHandler, defineModel, resource, sql, tableFunction, text } from 'lapidary'
import { apiKeyAuth, createApiKey } from 'lapidary/auth'
import { createServer } from 'lapidary/fastify'
import { openSqlite } from 'lapidary/sqlite'
import { runCommand } from '../cli/command-process.ts'
import { createPackageFolder } from '../package-folder.ts'

const declarations = `
import { attribute, date, defineModel, enumeration, integer, resource, text, toMany, toOne } from 'lapidary'
const album = resource('album', {
  path: '/albums',
  table: 'album',
  fields: {
    title: attribute(text, { required: true }),
    year: attribute(integer),
    state: attribute(enumeration(['new', 'used'])),
    made_on: attribute(date),
    artist: toOne('artist', { column: 'artist_id' }),
  },
})
const artist = resource('artist', {
  path: '/artists',
  table: 'artist',
  fields: { name: attribute(text), albums: toMany('album', { column: 'artist_id' }) },
})
export const model = defineModel([album, artist])`

const tables = `
  create table artist (id integer primary key, name text);
  create table album (id integer primary key, title text not null, year integer, state text, made_on date,
    artist_id integer references artist (id));
  insert into artist values (1, 'Ada'), (2, 'Bob');
  insert into album values (1, 'Notes', 1843, 'new', '2020-01-31', 1), (2, 'Engine', null, 'used', null, 1);`

describe('The commands explain and doctor', () => {
  let folder: string
  before(async () => {
    folder = await createPackageFolder('commands')
    await writeFile(join(folder, 'model.ts'), declarations)
    await writeFile(
      join(folder, 'store.ts'),
      `import { openSqlite } from 'lapidary/sqlite'\nimport { model } from './model.ts'\nexport const store = openSqlite(model, 'good.db')`,
    )
    await writeFile(
      join(folder, 'resources.ts'),
      declarations
        .replace('export const model = defineModel(', 'export const resources = (')
        .replace('defineModel, ', ''),
    )
    await writeFile(join(folder, 'broken.ts'), 'throw new Error("not today")')
    await writeFile(join(folder, 'empty.ts'), 'export const other = 1')
    await writeFile(join(folder, 'syntax.ts'), '\nexport const = 1')
    await writeFile(join(folder, 'data.json'), '{}')
    new DatabaseSync(join(folder, 'other.db')).exec('create table other (id integer)')
    createDatabase('good.db', 'create index album_artist_id on album (artist_id)')
    createDatabase(
      'bad.db',
      "update album set state = 'lost' where id = 1; update album set made_on = '2009-01-01 00:00:00' where id = 2",
    )
  })
  after(() => rm(folder, { recursive: true }))

  function createDatabase(name: string, changes: string): void {
    const database = new DatabaseSync(join(folder, name))
    database.exec(tables)
    database.exec(changes)
    database.close()
  }

  /** Runs the command in the folder. @returns its exit code and its lines */
  async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const { status, stdout, stderr } = await runCommand(folder, args, env)
    return { status, stderr, lines: stdout.trimEnd().split('\n') }
  }

  it('prints the statements of a request, their plans and the index that is missing', async () => {
    const { status, lines, stderr } = await run([
      'explain',
      'sqlite:good.db',
      '/albums?filter[year]=1843&include=artist',
    ])
    assert.deepEqual([status, stderr], [0, ''])
    assert.equal(lines[0], 'SQLite at good.db: 2 statements')
    assert.match(lines[2] ?? '', /^1\. 1 row in \d+\.\d ms$/)
    assert.match(lines[3] ?? '', /^ {3}select .* where "t0"\."year" = \?/)
    assert.deepEqual(lines.slice(4, 9), [
      ...['   values: 1843, 30, 0', '   plan:', '     SCAN t0'],
      '   plan with the indexes below:',
      '     SEARCH t0 USING INDEX album_year (year=?)',
    ])
    assert.deepEqual(lines.slice(-4), [
      'Warnings:',
      '- the filter by albums.year (eq) reads every row of "album": no index begins with the column "year"',
      '  create index "album_year" on "album" ("year");',
      '  with it, only the rows that match this condition are read: 1 of the 2 rows',
    ])
  })

  it('explains by the declarations of a module, and prints JSON', async () => {
    const url = ['--database-url', 'sqlite:good.db', '--prefix', '/api', '--json']
    const { lines } = await run(['explain', 'model.ts', '/api/artists/1/albums', ...url])
    const { statements, warnings, dialect } = JSON.parse(lines.join('\n'))
    assert.deepEqual([statements.length > 0, warnings, dialect], [true, [], 'sqlite'])
    const { lines: plain } = await run(['explain', 'GET /albums'], {
      DATABASE_URL: 'sqlite:good.db',
    })
    assert.equal(plain.at(-1), 'No warnings.')
  })

  for (const source of ['sqlite:good.db', 'resources.ts'])
    it(`explains a page between cursors of a server, by its secret: ${source}`, async () => {
      const secret = 'a secret of the server'
      const { resources } = await import(join(folder, 'resources.ts'))
      const model = defineModel(resources, { secret })
      const store = openSqlite(model, join(folder, 'good.db'))
      const handle = createHandler({ model, store })
      const list = new Request('http://localhost/albums?page[size]=1&page[total]=none')
      const { links } = await (await handle(list)).json()
      await store.close()
      const args = ['explain', source, links.next, '--database-url', 'sqlite:good.db']
      const types = ['--types', 'singular']
      for (const [flags, env] of [
        [[], { SECRET: secret }],
        [['--secret', secret], {}],
        [['--secret', `another secret of the server,${secret}`], {}],
      ] as const) {
        const { status, stderr, lines } = await run([...args, ...types, ...flags], env)
        assert.deepEqual([status, stderr], [0, ''])
        assert.match(lines.join('\n'), /The cursors of the sort order id are served by/)
      }
      const { stderr } = await run([...args, ...types])
      assert.match(stderr, /page\[after\] is damaged, or not a cursor of album/)
      const short = await run([...args, ...types, '--secret', 'short'])
      assert.match(short.stderr, /SECRET must be a text of at least 16 characters/)
      assert.doesNotMatch(short.stderr, /it is "short"/)
    })

  for (const args of [
    ['store.ts'],
    ['model.ts', '--database-url', 'sqlite:good.db', '--sample', '1'],
    ['sqlite:good.db', '--types', 'singular'],
  ])
    it(`finds nothing wrong with good declarations: doctor ${args.join(' ')}`, async () => {
      const { status, lines, stderr } = await run(['doctor', ...args])
      assert.deepEqual([status, stderr], [0, ''], args.join(' '))
      assert.equal(lines[0], 'album: examined 2 of 2')
      assert.equal(lines.at(-1), '2 resource types, 0 warnings, 0 violations')
    })

  it('reports values that make no round trip, and relationships without an index', async () => {
    const { status, lines } = await run(['doctor', 'model.ts', '--database-url', 'sqlite:bad.db'])
    assert.equal(status, 1)
    const [warning, ...others] = lines.slice(2)
    assert.match(warning ?? '', /^warning: .*create index "album_artist_id" on "album"/)
    assert.deepEqual(others, [
      'violation: album.state: a stored value is not of the kind enumeration, so it cannot be written back, e.g. GET /albums/1',
      'violation: album.state: a filter by its value "lost" is invalid, e.g. GET /albums/1',
      'violation: album.made_on: a filter by its value "2009-01-01" does not find the resource, e.g. GET /albums/2',
      '2 resource types, 1 warning, 3 violations',
    ])
  })

  it('warns of values that are returned as null because they do not belong to their kind', async () => {
    createDatabase(
      'odd.db',
      "create index album_artist_id on album (artist_id); update album set made_on = '2020-13-45' where id = 2",
    )
    const lenient = declarations.replace('(date)', "(date, { invalidValues: 'null' })")
    await writeFile(join(folder, 'lenient.ts'), lenient)
    const database = ['--database-url', 'sqlite:odd.db']
    const { status, lines } = await run(['doctor', 'lenient.ts', ...database])
    assert.equal(status, 0)
    assert.deepEqual(lines.slice(2), [
      'warning: album.fields.made_on: the column "made_on" of the table "album" contains "2020-13-45" in the row with the id "2"; it is returned as null',
      '2 resource types, 1 warning, 0 violations',
    ])
  })

  it('examines an API at an address, with header fields, and says what it lacks for more', async (test) => {
    const artist = resource('artist', {
      path: '/artists',
      table: 'artist',
      fields: { name: attribute(text) },
    })
    const named = resource('named', {
      path: '/named',
      table: tableFunction(
        { name: text },
        ({ name }) => sql`select * from artist where name = ${name}`,
      ),
      access: 'read-only',
      fields: {},
    })
    const model = defineModel([artist, named])
    const store = openSqlite(model, join(folder, 'good.db'))
    const { key, hash } = createApiKey()
    const authenticate = apiKeyAuth({ keys: [{ hash, auth: 'ada' }] })
    const serve = async (openapi: boolean) => {
      const options = { model, store, authenticate, openapi, prefix: '/api', logLevel: 'silent' }
      const server = createServer(options)
      test.after(() => server.close())
      return `${await server.listen({ host: '127.0.0.1', port: 0 })}/api`
    }
    test.after(() => store.close())
    const [described, undescribed] = [await serve(true), await serve(false)]
    const header = ['--header', `x-api-key: ${key}`]
    assert.deepEqual(await run(['doctor', described, ...header]), {
      ...{ status: 0, stderr: '' },
      lines: [
        'artist: examined 2 of 2',
        'named: not examined, because its list needs name',
        '2 resource types, 0 warnings, 0 violations',
      ],
    })
    const { status, lines } = await run(['doctor', undescribed, ...header])
    assert.equal(status, 0)
    assert.match(lines[2] ?? '', /^warning: the API has no openapi\.json, so filters and sorts are/)
    const denied = await run(['doctor', described])
    assert.equal(denied.status, 2)
    assert.match(
      denied.stderr,
      /has no root document with resources; its status is 401; send credentials, e\.g\. --header/,
    )
  })

  // biome-ignore format: a table, one command line a row
  const invalid = [
    [['explain'], /^lapidary: explain takes declarations and a url, e\.g\. lapidary explain sqlite:/],
    [['explain', 'sqlite:good.db', '/albums?sort=titel'], /^lapidary: sort: albums has no field "titel"; did you mean "title"\?/],
    [['explain', 'sqlite:good.db', '/album'], /^lapidary: There is no route "\/album"/],
    [['explain', 'model.ts', '/albums'], /^lapidary: model\.ts exports no store; give its database by --database-url or DATABASE_URL$/],
    [['explain', 'sqlite:good.db', '/', '--auth', '{'], /^lapidary: --auth must be JSON/],
    [['doctor'], /^lapidary: doctor takes declarations or the url of an API/],
    [['explain', 'sqlite:good.db', 'POST /albums'], /^lapidary: explain takes a GET request; it is "POST \/albums"$/],
    [['explain', 'sqlite:good.db', 'albums'], /^lapidary: explain takes a path such as \/albums, or a URL; it is "albums"$/],
    [['explain', 'good.db', '/albums'], /^lapidary: good\.db is not a module; the url of a SQLite file is sqlite:good\.db$/],
    [['doctor', 'https://'], /^lapidary: "https:\/\/" is not a URL$/],
    [['doctor', 'nothing.ts'], /^lapidary: there is no file nothing\.ts$/],
    [['doctor', 'broken.ts'], /^lapidary: broken\.ts cannot be imported: not today$/],
    [['doctor', 'syntax.ts'], /^lapidary: \/.*\/syntax\.ts:2 cannot be imported: Unexpected token `=`/],
    [['doctor', '.'], /^lapidary: \. is a folder; name a module in it, e\.g\. index\.ts$/],
    [['doctor', 'data.json'], /^lapidary: data\.json is not a module; declarations are in TypeScript or JavaScript$/],
    [['explain', 'model.ts', '/albums', '--database-url', 'sqlite:other.db'], /^lapidary: album\.table: the database has no table "album"; the tables are "other"\./],
    [['doctor', 'empty.ts'], /^lapidary: empty\.ts exports neither a model nor resources, e\.g\. export const resources = \[person\]$/],
    [['doctor', 'sqlite:good.db', '--sample', '0'], /^lapidary: --sample must be a whole number from 1 to 1000000; it is "0"$/],
    [['doctor', 'http://127.0.0.1:9'], /^lapidary: http:\/\/127\.0\.0\.1:9 cannot be reached: bad port$/],
    [['explain', 'http://127.0.0.1:9', '/albums'], /^lapidary: http:\/\/127\.0\.0\.1:9 is neither a module nor the url of a database, which begins with sqlite: or postgres:; only doctor takes the url of an API$/],
    [['doctor', 'http://127.0.0.1:9', '--header', 'token'], /^lapidary: --header must be a name and a value, e\.g\. 'x-api-key: 1'; it is "token"$/],
  ] as const

  for (const [args, message] of invalid)
    it(`rejects lapidary ${args.join(' ')}`, async () => {
      const { status, stderr } = await run(args, { DATABASE_URL: '' })
      assert.equal(status, 2)
      assert.match(stderr.trimEnd(), message)
    })
})
