import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { absolutePath } from '../docs/pages.ts'
import { execute, filled, lasting } from '../filled.ts'
import { folder } from '../service/child.ts'
import {
  assertCompiles,
  assertFormatted,
  createProject,
  createSqliteDatabase,
} from './generated-project.ts'

const main = absolutePath('cli/main.ts')

/** Runs the command in a folder. */
function lapidary(cwd: string, ...args: readonly string[]) {
  return spawnSync(process.execPath, [main, ...args], { cwd, encoding: 'utf8', timeout: 20_000 })
}

const tables = `create table author (id integer primary key, name text not null);
  create table book (id integer primary key, title text, author_id integer references author);
  create table pair (a integer, b integer, primary key (a, b))`

const invalidUrl =
  'the database url must be sqlite:<path> or postgres://<user>:<password>@<host>/<database>'

/** Invalid command lines: what is invalid, the arguments, and the error message. */
const invalidCommands: readonly (readonly [
  title: string,
  args: readonly string[],
  message: string,
])[] = [
  ['no command', [], 'a command is missing; the only command is introspect'],
  ['an unknown command', ['serve'], 'there is no command "serve"; the only command is introspect'],
  ['no database url', ['introspect'], 'introspect takes one database url, e.g. sqlite:music.db'],
  [
    'two database urls',
    ['introspect', 'sqlite:a.db', 'sqlite:b.db'],
    'introspect takes one database url, e.g. sqlite:music.db',
  ],
  ['a url without a scheme', ['introspect', 'a.db'], invalidUrl],
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
    'PostgreSQL at 127.0.0.1:1/x cannot be reached: Error: connect ECONNREFUSED 127.0.0.1:1',
  ],
  ['a file that does not exist', ['introspect', 'sqlite:absent.db'], 'there is no file absent.db'],
  ['a file that is not a database', ['introspect', 'sqlite:text.db'], 'file is not a database'],
  ['a database without tables', ['introspect', 'sqlite:empty.db'], 'the database has no tables'],
  [
    'an in-memory database',
    ['introspect', 'sqlite::memory:'],
    'a new in-memory database has no tables',
  ],
  [
    'a database in which no table can be a resource',
    ['introspect', 'sqlite:bare.db'],
    'no table can be a resource: x is omitted: it has no primary key',
  ],
  [
    'an empty folder name',
    ['introspect', 'sqlite:bare.db', '--out', ''],
    '--out must name a folder',
  ],
]

describe('lapidary introspect', () => {
  for (const [title, args, message] of invalidCommands) {
    it(`given ${title}, prints one line, exits with code 2 and writes nothing`, async (test) => {
      const cwd = await folder(test)
      writeFileSync(join(cwd, 'text.db'), 'Some text that is not a database. '.repeat(20))
      writeFileSync(join(cwd, 'empty.db'), '')
      createSqliteDatabase(cwd, 'bare', 'create table x (y text)')
      const before = readdirSync(cwd)
      const { status, stdout, stderr } = lapidary(cwd, ...args)
      assert.deepEqual([status, stdout, stderr], [2, '', `lapidary: ${message}\n`])
      assert.deepEqual(readdirSync(cwd), before)
    })
  }

  it('given an unknown option, names it and exits with code 2', async (test) => {
    const { status, stderr } = lapidary(await folder(test), 'introspect', 'sqlite:a.db', '--forse')
    assert.equal(status, 2)
    assert.match(stderr, /^lapidary: .*'--forse'.*\n$/)
  })

  it('prints its usage with --help', async (test) => {
    const { status, stdout } = lapidary(await folder(test), '--help')
    assert.equal(status, 0)
    assert.match(
      stdout,
      /^Usage: lapidary introspect <database url> \[--out <folder>\] \[--force\]$/m,
    )
  })

  it('prints formatted declarations that compile, and does not change the database', async (test) => {
    const cwd = await createProject(test)
    const path = createSqliteDatabase(cwd, 'a', tables)
    const before = readFileSync(path)
    const { status, stdout, stderr } = lapidary(cwd, 'introspect', 'sqlite:a.db')
    assert.deepEqual([status, stderr], [0, ''])
    assert.match(stdout, /^\/\/ pair is omitted: its primary key has 2 columns: a, b$/m)
    assert.match(stdout, /^export const resources = \[author, book\] as const$/m)
    writeFileSync(join(cwd, 'printed.ts'), stdout)
    assertFormatted(cwd)
    assertCompiles(cwd)
    assert.deepEqual(readFileSync(path), before)
  })

  for (const database of lasting) {
    it(`reads ${database.name}, and reports a database without tables`, async (test) => {
      const cwd = await folder(test)
      const url = await filled(test, database, '')
      const empty = lapidary(cwd, 'introspect', url)
      assert.deepEqual([empty.status, empty.stderr], [2, 'lapidary: the database has no tables\n'])
      await execute(
        url,
        'create table a (id integer primary key); create view b as select id from a',
      )
      const { status, stdout, stderr } = lapidary(cwd, 'introspect', url)
      assert.deepEqual([status, stderr], [0, ''])
      assert.match(stdout, /^export const resources = \[a, b\] as const$/m)
    })
  }

  it('with --out, writes one file per resource type and an index', async (test) => {
    const cwd = await createProject(test)
    createSqliteDatabase(cwd, 'a', tables)
    const args = ['introspect', 'sqlite:a.db', '--out', 'src/resources']
    const { status, stdout } = lapidary(cwd, ...args)
    const printed = [
      'src/resources: author.ts, book.ts, index.ts',
      'pair is omitted: its primary key has 2 columns: a, b',
    ]
    assert.deepEqual([status, stdout], [0, printed.map((line) => `${line}\n`).join('')])
    assert.deepEqual(readdirSync(join(cwd, 'src/resources')), ['author.ts', 'book.ts', 'index.ts'])
    assertFormatted(cwd)
    assertCompiles(cwd)
  })

  it('overwrites existing files only with --force', async (test) => {
    const cwd = await folder(test)
    createSqliteDatabase(cwd, 'a', tables)
    const args = ['introspect', 'sqlite:a.db', '--out', 'out']
    assert.equal(lapidary(cwd, ...args).status, 0)
    writeFileSync(join(cwd, 'out/author.ts'), 'mine')
    createSqliteDatabase(cwd, 'b', `${tables}; create table shop (id integer primary key)`)
    const otherArgs = ['introspect', 'sqlite:b.db', '--out', 'out']
    const refused = lapidary(cwd, ...otherArgs)
    assert.deepEqual(
      [refused.status, refused.stderr],
      [
        2,
        'lapidary: these files exist in out: author.ts, book.ts, index.ts; --force overwrites them\n',
      ],
    )
    assert.equal(readFileSync(join(cwd, 'out/author.ts'), 'utf8'), 'mine')
    assert.ok(!existsSync(join(cwd, 'out/shop.ts')))
    assert.equal(lapidary(cwd, ...otherArgs, '--force').status, 0)
    assert.match(readFileSync(join(cwd, 'out/author.ts'), 'utf8'), /resource\('author'/)
  })
})
