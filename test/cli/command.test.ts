import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { placeOf } from '../docs/pages.ts'
import { execute, filled, lasting } from '../filled.ts'
import { folder } from '../service/child.ts'
import { assertCompiles, assertTidy, databaseIn, project } from './written.ts'

const main = placeOf('cli/main.ts')

/** Runs the command in a folder. */
function lapidary(cwd: string, ...words: readonly string[]) {
  return spawnSync(process.execPath, [main, ...words], { cwd, encoding: 'utf8', timeout: 20_000 })
}

const tables = `create table author (id integer primary key, name text not null);
  create table book (id integer primary key, title text, author_id integer references author);
  create table pair (a integer, b integer, primary key (a, b))`

const urlComplaint =
  'the database url must be sqlite:<path> or postgres://<user>:<password>@<host>/<database>'

/** What is refused, the words of the command, and the one line that says why. */
const refusals: readonly (readonly [
  sentence: string,
  words: readonly string[],
  complaint: string,
])[] = [
  ['no command', [], 'the command is introspect; there is none'],
  ['another command', ['serve'], 'the command is introspect; there is no "serve"'],
  ['no database', ['introspect'], 'introspect takes one database url, e.g. sqlite:music.db'],
  [
    'two databases',
    ['introspect', 'sqlite:a.db', 'sqlite:b.db'],
    'introspect takes one database url, e.g. sqlite:music.db',
  ],
  ['a url without a scheme', ['introspect', 'a.db'], urlComplaint],
  [
    'a url of another scheme, whose password is not repeated',
    ['introspect', 'mysql://me:secret@there/x'],
    urlComplaint,
  ],
  ['a url named like what every object has', ['introspect', 'constructor:x'], urlComplaint],
  ['a url that is none', ['introspect', 'postgres://me:secret@[there/x'], urlComplaint],
  [
    'a server that is not there',
    ['introspect', 'postgres://me:secret@127.0.0.1:1/x'],
    'PostgreSQL at 127.0.0.1:1/x cannot be reached: Error: connect ECONNREFUSED 127.0.0.1:1',
  ],
  ['a file that is not there', ['introspect', 'sqlite:absent.db'], 'there is no file absent.db'],
  ['a file that is no database', ['introspect', 'sqlite:text.db'], 'file is not a database'],
  ['a database without tables', ['introspect', 'sqlite:empty.db'], 'the database has no tables'],
  [
    'a database in memory',
    ['introspect', 'sqlite::memory:'],
    'a new database in memory has no tables',
  ],
  [
    'a database with nothing to declare',
    ['introspect', 'sqlite:bare.db'],
    'no table can be a resource: x is left out: it has no key',
  ],
  [
    'a folder without a name',
    ['introspect', 'sqlite:bare.db', '--out', ''],
    '--out must name a folder',
  ],
]

describe('lapidary introspect', () => {
  for (const [sentence, words, complaint] of refusals) {
    it(`refuses ${sentence}, in one line and with exit code 2`, async (test) => {
      const cwd = await folder(test)
      writeFileSync(
        join(cwd, 'text.db'),
        'A text of some length, and no database at all. '.repeat(20),
      )
      writeFileSync(join(cwd, 'empty.db'), '')
      databaseIn(cwd, 'bare', 'create table x (y text)')
      const before = readdirSync(cwd)
      const { status, stdout, stderr } = lapidary(cwd, ...words)
      assert.deepEqual([status, stdout, stderr], [2, '', `lapidary: ${complaint}\n`])
      assert.deepEqual(readdirSync(cwd), before)
    })
  }

  it('refuses an option that it does not know', async (test) => {
    const { status, stderr } = lapidary(await folder(test), 'introspect', 'sqlite:a.db', '--forse')
    assert.equal(status, 2)
    assert.match(stderr, /^lapidary: .*'--forse'.*\n$/)
  })

  it('prints what can be done', async (test) => {
    const { status, stdout } = lapidary(await folder(test), '--help')
    assert.equal(status, 0)
    assert.match(
      stdout,
      /^Usage: lapidary introspect <database url> \[--out <folder>\] \[--force\]$/m,
    )
  })

  it('prints all in one text, which is formatted and compiles, and leaves the database as it was', async (test) => {
    const cwd = await project(test)
    const path = databaseIn(cwd, 'a', tables)
    const before = readFileSync(path)
    const { status, stdout, stderr } = lapidary(cwd, 'introspect', 'sqlite:a.db')
    assert.deepEqual([status, stderr], [0, ''])
    assert.match(stdout, /^\/\/ pair is left out: its key has 2 columns: a, b$/m)
    assert.match(stdout, /^export const resources = \[author, book\] as const$/m)
    writeFileSync(join(cwd, 'printed.ts'), stdout)
    assertTidy(cwd)
    assertCompiles(cwd)
    assert.deepEqual(readFileSync(path), before)
  })

  for (const database of lasting) {
    it(`reads ${database.name}, and says in one line that there is nothing`, async (test) => {
      const cwd = await folder(test)
      const url = await filled(test, database, '')
      const nothing = lapidary(cwd, 'introspect', url)
      assert.deepEqual(
        [nothing.status, nothing.stderr],
        [2, 'lapidary: the database has no tables\n'],
      )
      await execute(
        url,
        'create table a (id integer primary key); create view b as select id from a',
      )
      const { status, stdout, stderr } = lapidary(cwd, 'introspect', url)
      assert.deepEqual([status, stderr], [0, ''])
      assert.match(stdout, /^export const resources = \[a, b\] as const$/m)
    })
  }

  it('writes a file for each resource type, and one with all of them', async (test) => {
    const cwd = await project(test)
    databaseIn(cwd, 'a', tables)
    const words = ['introspect', 'sqlite:a.db', '--out', 'src/resources']
    const { status, stdout } = lapidary(cwd, ...words)
    const said = [
      'src/resources: author.ts, book.ts, index.ts',
      'pair is left out: its key has 2 columns: a, b',
    ]
    assert.deepEqual([status, stdout], [0, said.map((line) => `${line}\n`).join('')])
    assert.deepEqual(readdirSync(join(cwd, 'src/resources')), ['author.ts', 'book.ts', 'index.ts'])
    assertTidy(cwd)
    assertCompiles(cwd)
  })

  it('writes over nothing unless it is told to', async (test) => {
    const cwd = await folder(test)
    databaseIn(cwd, 'a', tables)
    const words = ['introspect', 'sqlite:a.db', '--out', 'out']
    assert.equal(lapidary(cwd, ...words).status, 0)
    writeFileSync(join(cwd, 'out/author.ts'), 'mine')
    databaseIn(cwd, 'b', `${tables}; create table shop (id integer primary key)`)
    const other = ['introspect', 'sqlite:b.db', '--out', 'out']
    const refused = lapidary(cwd, ...other)
    assert.deepEqual(
      [refused.status, refused.stderr],
      [2, 'lapidary: out has author.ts, book.ts, index.ts already; --force writes over them\n'],
    )
    assert.equal(readFileSync(join(cwd, 'out/author.ts'), 'utf8'), 'mine')
    assert.ok(!existsSync(join(cwd, 'out/shop.ts')))
    assert.equal(lapidary(cwd, ...other, '--force').status, 0)
    assert.match(readFileSync(join(cwd, 'out/author.ts'), 'utf8'), /resource\('author'/)
  })
})
