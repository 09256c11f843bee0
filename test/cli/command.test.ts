import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { commands } from '../../cli/commands.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { toFlag } from '../../process/settings.ts'
import { databases } from '../databases.ts'
import { absolutePath } from '../docs/pages.ts'
import { execute, filled } from '../filled.ts'
import { long } from '../long-tests.ts'
import { folder } from '../service/child.ts'
import { runCommand } from './command-process.ts'
import {
  assertCompiles,
  assertFormatted,
  createProject,
  createSqliteDatabase,
} from './generated-project.ts'

/** Runs a command in a process of its own. */
function spawnCommand(cwd: string, ...args: readonly string[]) {
  const main = absolutePath('cli/main.ts')
  const options = { cwd, encoding: 'utf8', timeout: 60_000 } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], options)
  return [status, stdout, stderr]
}

const tables = `create table author (id integer primary key, name text not null);
  create table book (id integer primary key, title text, author_id integer references author);
  create view pair as select 1 as a, 2 as b union all select 1, 2`

const commandList =
  'the commands are serve, init, introspect, explain, doctor, access, openapi, routes, idempotency; --help describes them'
const takesOneUrl = 'introspect takes one database url, e.g. lapidary introspect sqlite:music.db'
const noTables = 'the database has no tables; create them first, or check the database url'
const invalidUrl =
  'the database url must be sqlite:<path> or postgres://<user>:<password>@<host>/<database>'

/** Invalid command lines: what is invalid, the arguments, and the error message. */
const invalidCommands: readonly (readonly [
  title: string,
  args: readonly string[],
  message: string,
])[] = [
  ['no command', [], `a command is missing; ${commandList}`],
  ['an unknown command', ['start'], `there is no command "start"; ${commandList}`],
  ['a typo of a command', ['serv'], 'there is no command "serv"; did you mean "serve"?'],
  ['no database url', ['introspect'], takesOneUrl],
  ['two database urls', ['introspect', 'sqlite:a.db', 'sqlite:b.db'], takesOneUrl],
  [
    'a typo of an option',
    ['serve', 'sqlite:bare.db', '--prot', '80'],
    "there is no option '--prot'; did you mean '--port'?",
  ],
  [
    'the beginning of an option',
    ['serve', 'sqlite:bare.db', '--jsonapi', '1.1'],
    "there is no option '--jsonapi'; did you mean '--jsonapi-version'?",
  ],
  [
    'an unknown option',
    ['init', 'sqlite:bare.db', '--verbose'],
    "there is no option '--verbose'; --help lists the options",
  ],
  ['an option without its value', ['init', '--out'], "'--out' needs a value; write --out=<value>"],
  ['a switch with a value', ['serve', '--write=yes'], "'--write' takes no value"],
  [
    'an invalid setting',
    ['serve', 'sqlite:bare.db', '--port', 'x'],
    'PORT must be a whole number from 0 to 65535; it is "x"',
  ],
  [
    'invalid names of types',
    ['introspect', 'sqlite:bare.db', '--types', 'both'],
    '--types must be plural or singular; it is "both"',
  ],
  ['a url without a scheme', ['serve', 'a.db'], `${invalidUrl}; did you mean sqlite:a.db?`],
  [
    'a url of an unsupported database, whose password is not printed',
    ['introspect', 'mysql://me:secret@there/x'],
    invalidUrl,
  ],
  [
    'a url with a scheme that is a property of every object',
    ['introspect', 'constructor:x'],
    invalidUrl,
  ],
  ['an invalid url', ['introspect', 'postgres://me:secret@[there/x'], invalidUrl],
  [
    'a server that cannot be reached',
    ['introspect', 'postgres://me:secret@127.0.0.1:1/x'],
    'PostgreSQL at 127.0.0.1:1/x cannot be reached: connect ECONNREFUSED 127.0.0.1:1',
  ],
  [
    'a file that does not exist',
    ['introspect', 'sqlite:music.db'],
    'there is no file music.db; the folder has bare.db, empty.db, text.db',
  ],
  [
    'a typo of a file name',
    ['serve', 'sqlite:./bear.db'],
    'there is no file ./bear.db; did you mean bare.db?',
  ],
  [
    'a file in a folder that does not exist',
    ['init', 'sqlite:absent/a.db'],
    'there is no file absent/a.db',
  ],
  [
    'a file that is not a database',
    ['introspect', 'sqlite:text.db'],
    'text.db is not a SQLite database',
  ],
  [
    'a folder',
    ['serve', 'sqlite:.'],
    '. is a folder; name a file in it; the folder has bare.db, empty.db, text.db',
  ],
  ['a database without tables', ['introspect', 'sqlite:empty.db'], noTables],
  [
    'an in-memory database',
    ['introspect', 'sqlite::memory:'],
    'a new in-memory database has no tables',
  ],
  [
    'a database in which no table can be a resource',
    ['introspect', 'sqlite:bare.db'],
    'no table can be a resource: x is omitted: it is a view without a column "id", and no column or pair of columns identifies its rows',
  ],
  [
    'an empty folder name',
    ['introspect', 'sqlite:bare.db', '--out', ''],
    '--out must name a folder',
  ],
]

describe('lapidary', () => {
  for (const [title, args, message] of invalidCommands) {
    it(`given ${title}, prints one line, exits with code 2 and writes nothing`, async (test) => {
      const cwd = await folder(test)
      writeFileSync(join(cwd, 'text.db'), 'Some text that is not a database. '.repeat(20))
      writeFileSync(join(cwd, 'empty.db'), '')
      createSqliteDatabase(cwd, 'bare', 'create view x as select null as y')
      const before = readdirSync(cwd)
      const { status, stdout, stderr } = await runCommand(cwd, args)
      assert.deepEqual([status, stdout, stderr], [2, '', `lapidary: ${message}\n`])
      assert.deepEqual(readdirSync(cwd), before)
    })
  }

  it('given no command, its process ends with exit code 2 and one line', async (test) => {
    const message = `lapidary: a command is missing; ${commandList}\n`
    assert.deepEqual(spawnCommand(await folder(test)), [2, '', message])
  })

  it('given an unknown option, names it and exits with code 2', async (test) => {
    const { status, stderr } = await runCommand(await folder(test), [
      'introspect',
      'sqlite:a.db',
      '--forse',
    ])
    assert.equal(status, 2)
    assert.match(stderr, /^lapidary: .*'--forse'.*\n$/)
  })

  it('describes every command with --help', async (test) => {
    const { status, stdout } = await runCommand(await folder(test), ['--help'])
    assert.equal(status, 0)
    for (const [name, { summary }] of Object.entries(commands))
      assert.ok(stdout.includes(`  ${name.padEnd(11)}  ${summary}\n`), stdout)
  })

  for (const [name, { flags, settings }] of Object.entries(commands)) {
    it(`lists the options of ${name} with ${name} --help`, async (test) => {
      const { status, stdout } = await runCommand(await folder(test), [name, '--help'])
      assert.equal(status, 0)
      assert.match(
        stdout,
        new RegExp(`^Usage: lapidary ${name} (<(database url|declarations)>|sql)`, 'm'),
      )
      for (const flag of [...Object.keys(flags), ...Object.keys(settings).map(toFlag)])
        assert.match(stdout, new RegExp(`^  --${flag} `, 'm'))
    })
  }

  it('prints its version with --version', async (test) => {
    const { status, stdout } = await runCommand(await folder(test), ['--version'])
    assert.deepEqual([status, stdout], [0, `${packageJson.version}\n`])
  })
})

describe('lapidary introspect', () => {
  it('prints declarations, and does not change the database', async (test) => {
    const cwd = await folder(test)
    const path = createSqliteDatabase(cwd, 'a', tables)
    const before = readFileSync(path)
    const { status, stdout, stderr } = await runCommand(cwd, ['introspect', 'sqlite:a.db'])
    assert.deepEqual(
      [status, stderr],
      [
        0,
        'pair is omitted: it is a view without a column "id", and no column or pair of columns identifies its rows\n',
      ],
    )
    assert.match(stdout, /^\/\/ pair is omitted: it is a view without a column "id"/m)
    assert.match(stdout, /^export const resources = \[author, book\] as const$/m)
    assert.deepEqual(spawnCommand(cwd, 'introspect', 'sqlite:a.db'), [status, stdout, stderr])
    assert.deepEqual(readFileSync(path), before)
  })

  for (const database of databases) {
    it(`reads ${database.name}, and reports a database without tables`, async (test) => {
      const cwd = await folder(test)
      const url = await filled(test, database, '')
      const empty = await runCommand(cwd, ['introspect', url])
      assert.deepEqual([empty.status, empty.stderr], [2, `lapidary: ${noTables}\n`])
      await execute(
        url,
        'create table a (id integer primary key); create view b as select id from a',
      )
      const { status, stdout, stderr } = await runCommand(cwd, ['introspect', url])
      assert.deepEqual([status, stderr], [0, ''])
      assert.match(stdout, /^export const resources = \[a, b\] as const$/m)
    })
  }

  it('names types like their path with --types plural', async (test) => {
    const cwd = await folder(test)
    createSqliteDatabase(cwd, 'a', tables)
    const { stdout } = await runCommand(cwd, ['introspect', 'sqlite:a.db', '--types', 'plural'])
    assert.match(stdout, /^export const author = resource\('authors', \{\n {2}path: '\/authors',$/m)
    assert.match(stdout, /^ {4}author: toOne\('authors', \{ column: 'author_id' \}\),$/m)
  })

  it('with --out, writes one file per resource type and an index', async (test) => {
    const cwd = await folder(test)
    createSqliteDatabase(cwd, 'a', tables)
    const args = ['introspect', 'sqlite:a.db', '--out', 'src/resources']
    const { status, stdout } = await runCommand(cwd, args)
    const printed = [
      'src/resources: author.ts, book.ts, index.ts, tsconfig.json',
      'pair is omitted: it is a view without a column "id", and no column or pair of columns identifies its rows',
    ]
    assert.deepEqual([status, stdout], [0, printed.map((line) => `${line}\n`).join('')])
    const files = ['author.ts', 'book.ts', 'index.ts', 'tsconfig.json']
    assert.deepEqual(readdirSync(join(cwd, 'src/resources')), files)
  })

  it(
    'writes formatted declarations that compile, for each of these options',
    long,
    async (test) => {
      const project = await createProject(test)
      createSqliteDatabase(project, 'a', tables)
      const args = ['introspect', 'sqlite:a.db']
      for (const types of ['singular', 'plural']) {
        const { status, stdout } = await runCommand(project, [...args, '--types', types])
        assert.equal(status, 0)
        writeFileSync(join(project, `${types}.ts`), stdout)
      }
      assert.equal((await runCommand(project, [...args, '--out', 'src/resources'])).status, 0)
      const files = globSync('**/*.ts', { cwd: project, exclude: ['node_modules'] })
      const written = ['author.ts', 'book.ts', 'index.ts'].map((name) =>
        join('src/resources', name),
      )
      assert.deepEqual(files.sort(), ['plural.ts', 'singular.ts', ...written])
      assertFormatted(project)
      assertCompiles(project)
    },
  )

  it('with --out, writes compile settings if none apply to the folder, and names one that is missing', async (test) => {
    const cwd = await folder(test)
    createSqliteDatabase(cwd, 'a', 'create table a (id integer primary key)')
    const args = (out: string) => ['introspect', 'sqlite:a.db', '--out', out]
    assert.equal(
      (await runCommand(cwd, args('alone'))).stdout,
      'alone: a.ts, index.ts, tsconfig.json\n',
    )
    writeFileSync(join(cwd, 'tsconfig.json'), '{ "compilerOptions": { "strict": true } }')
    const { stdout } = await runCommand(cwd, args('src/out'))
    assert.match(
      stdout,
      /^src\/out: a\.ts, index\.ts\nAdd "rewriteRelativeImportExtensions": true to the compilerOptions/,
    )
  })

  it('overwrites existing files only with --force', async (test) => {
    const cwd = await folder(test)
    createSqliteDatabase(cwd, 'a', tables)
    const args = ['introspect', 'sqlite:a.db', '--out', 'out']
    assert.equal((await runCommand(cwd, args)).status, 0)
    writeFileSync(join(cwd, 'out/author.ts'), 'mine')
    createSqliteDatabase(cwd, 'b', `${tables}; create table shop (id integer primary key)`)
    const otherArgs = ['introspect', 'sqlite:b.db', '--out', 'out']
    const rejected = await runCommand(cwd, otherArgs)
    assert.deepEqual(
      [rejected.status, rejected.stderr],
      [
        2,
        'lapidary: these files exist in out: author.ts, book.ts, index.ts; --force overwrites them\n',
      ],
    )
    assert.equal(readFileSync(join(cwd, 'out/author.ts'), 'utf8'), 'mine')
    assert.ok(!existsSync(join(cwd, 'out/shop.ts')))
    assert.equal((await runCommand(cwd, [...otherArgs, '--force'])).status, 0)
    assert.match(readFileSync(join(cwd, 'out/author.ts'), 'utf8'), /resource\('author'/)
  })
})
