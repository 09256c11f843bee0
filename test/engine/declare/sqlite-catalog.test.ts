import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import type { StoredTable } from 'lapidary'
import { readSqliteCatalog } from 'lapidary/sqlite'
import { folder } from '../../service/child.ts'

/** Creates a file with tables, in a journal mode. */
async function createFile(test: TestContext, tables: string, mode = 'delete'): Promise<string> {
  const path = join(await folder(test), 'a.db')
  const database = new DatabaseSync(path)
  database.exec(`pragma journal_mode = ${mode}; ${tables}`)
  database.close()
  return path
}

async function catalogOf(test: TestContext, tables: string): Promise<readonly StoredTable[]> {
  return readSqliteCatalog(await createFile(test, tables)).tables
}

describe('The catalog of a SQLite database', () => {
  for (const mode of ['delete', 'wal']) {
    it(`is read without changing a file in journal mode ${mode}`, async (test) => {
      const path = await createFile(test, 'create table a (id integer primary key)', mode)
      const before = readFileSync(path)
      assert.deepEqual(
        readSqliteCatalog(path).tables.map(({ name }) => name),
        ['a'],
      )
      assert.deepEqual(readdirSync(join(path, '..')), ['a.db'])
      assert.deepEqual(readFileSync(path), before)
    })
  }

  it('contains tables that are still in the write-ahead log', async (test) => {
    const path = await createFile(test, 'create table a (id integer primary key)', 'wal')
    const writer = new DatabaseSync(path)
    test.after(() => writer.close())
    writer.exec('create table b (id integer primary key)')
    assert.deepEqual(
      readSqliteCatalog(path).tables.map(({ name }) => name),
      ['a', 'b'],
    )
  })

  it('throws if the file does not exist or is not a database', async (test) => {
    const cwd = await folder(test)
    const [absent, other] = [join(cwd, 'absent.db'), join(cwd, 'other.db')]
    assert.throws(() => readSqliteCatalog(absent), { message: `there is no file ${absent}` })
    writeFileSync(other, 'A text of some length, which is not a database. '.repeat(20))
    assert.throws(() => readSqliteCatalog(other), { message: 'file is not a database' })
    assert.deepEqual(readdirSync(cwd), ['other.db'])
  })

  it('spells the tables and columns of foreign keys as in their definition', async (test) => {
    const [, child] = await catalogOf(
      test,
      `create table Parent (ParentId integer primary key, Code text unique);
       create table child_of (id integer primary key, a references PARENT, b references parent (CODE),
         c references nowhere (Id))`,
    )
    assert.deepEqual(
      child?.foreignKeys.map(({ to, references }) => [to.name, ...references]).sort(),
      [
        ['Parent', 'Code'],
        ['Parent', 'ParentId'],
        ['nowhere', 'Id'],
      ],
    )
  })

  it('excludes the shadow tables of virtual tables', async (test) => {
    const tables = await catalogOf(test, 'create virtual table note using fts5 (body)')
    assert.deepEqual(
      tables.map(({ name }) => name),
      ['note'],
    )
  })

  it('reports a default of an integer primary key only if it is the rowid', async (test) => {
    const tables = await catalogOf(
      test,
      `create table numbered (id integer primary key);
       create table plain (id integer primary key) without rowid;
       create table reversed (id integer primary key desc)`,
    )
    assert.deepEqual(
      tables.map(({ name, columns }) => [name, columns.get('id')?.hasDefault]),
      [
        ['numbered', true],
        ['plain', false],
        ['reversed', false],
      ],
    )
  })
})
