import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { attribute, defineModel, resource, text } from 'lapidary'
import { SqliteConnection } from '../../src/store/sqlite/connection.ts'
import { CostModel } from '../../src/store/sqlite/cost-model.ts'
import { sampleKeySizes } from '../../src/store/sqlite/key-size.ts'
import { LargeValueError } from '../../src/store/sqlite/large-values.ts'
import { maxInProcessDuration } from '../../src/store/sqlite/read-cost.ts'
import { estimateRowSize } from '../../src/store/sqlite/table-size.ts'

const note = resource('note', {
  path: '/notes',
  table: 'note',
  fields: { text: attribute(text), title: attribute(text) },
})
const person = resource('person', { path: '/persons', table: 'person', fields: {} })
const model = defineModel([note, person])

/** A read of the rows whose column has a text. The cost depends on nothing else of a read, so the types are not those of a whole one. */
function readOf(type: string, condition: string) {
  const rows = { sql: `select 1 from "${type}" as "t0" where ${condition}`, placeholders: [] }
  const statements = { owned: [], linkages: [], includedLinkages: new Map() }
  return {
    fullRead: { read: { boundedRows: rows, count: rows }, ...statements, cost: undefined } as never,
    shape: { addressed: { is: 'all' }, where: {}, type, isPaged: false } as never,
    plan: { page: undefined } as never,
  }
}

/** Opens a database as the server's process does for cheap reads. */
function openCosts(test: TestContext, rows = '') {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-'))
  const path = join(folder, 'notes.db')
  const database = new DatabaseSync(path)
  database.exec(`create table note (id integer primary key, text text, title text);
    create table person (id integer primary key, name text);
    ${rows}`)
  database.close()
  const connection = new SqliteConnection(path, 'reader', { limitsValues: true })
  test.after(() => {
    connection.close()
    rmSync(folder, { recursive: true })
  })
  const costs = new CostModel(connection)
  const costOf = ({ fullRead, shape }: ReturnType<typeof readOf>) =>
    costs.ofFullRead(fullRead, shape, { model } as never)
  const isExpensive = (read: ReturnType<typeof readOf>) =>
    costs.estimate(costOf(read), read.plan, performance.now()) > maxInProcessDuration
  return { path, connection, costs, costOf, isExpensive }
}

/** SQL that inserts notes whose texts have a length. */
const insertNotes = (count: number, length: number) =>
  `with recursive n (id) as (select 1 union all select id + 1 from n limit ${count})
    insert into note select id, printf('%.*c', ${length}, 'a'), 'title' from n;`

it('given a slow search in a type, then every search in it runs in a reader process, and no other read', (test) => {
  const { costs, costOf, isExpensive } = openCosts(test)
  const slow = readOf('note', `instr(t0.text, ?)`)
  const reads = [
    slow,
    readOf('note', `instr(t0.title, ?)`),
    readOf('note', `t0.title = ?`),
    readOf('person', `instr(t0.name, ?)`),
  ]
  assert.deepEqual(reads.map(isExpensive), [false, false, false, false])
  const longAgo = performance.now() - 1000
  costs.recordDuration(costOf(slow), longAgo, undefined)
  assert.ok(costOf(reads[1] ?? slow).observed.isSuspect)
  // Since it began, the thread has used more CPU time than a slow read does.
  costs.recordDuration(costOf(slow), longAgo, { user: 0, system: 0 })
  assert.deepEqual(reads.map(isExpensive), [true, true, false, false])
})

it('given rows with long texts, then every scan of them runs in a reader process, also one that reads a short column', (test) => {
  const { isExpensive } = openCosts(
    test,
    `${insertNotes(4000, 20_000)} insert into person select id, title from note`,
  )
  const conditions = ['t0.text = ?', 't0.title = ?', 'instr(t0.title, ?)']
  assert.deepEqual(
    conditions.map((condition) => isExpensive(readOf('note', condition))),
    [true, true, true],
  )
  // The other table has as many rows, in the same file.
  assert.equal(isExpensive(readOf('person', 't0.name = ?')), false)
  assert.equal(isExpensive(readOf('person', 'instr(t0.name, ?)')), false)
  // One lookup reads one row.
  assert.equal(isExpensive(readOf('note', 't0.id = ?')), false)
})

it('given as many rows with short texts, then the same scans run in the process', (test) => {
  const { isExpensive } = openCosts(test, insertNotes(4000, 50))
  const conditions = ['t0.text = ?', 't0.title = ?', 'instr(t0.title, ?)']
  assert.deepEqual(
    conditions.map((condition) => isExpensive(readOf('note', condition))),
    [false, false, false],
  )
})

/** SQL that creates 60,000 rows, each with an owner. */
const createItems = (owner: string) =>
  `create table item (id integer primary key, owner_id integer, place text);
    with recursive n (id) as (select 1 union all select id + 1 from n limit 60000)
    insert into item select id, ${owner}, 'a' from n;
    create index item_owner on item (owner_id, place);`

describe('A read of the rows of a list of keys', () => {
  const search = 'lapidary_matches(t0.place, ?)'
  const ofOwners = () =>
    readOf('item', `t0.owner_id in (select value from json_each(?)) and ${search}`)

  it('runs in the process if random keys have few rows', (test) => {
    assert.equal(openCosts(test, createItems('id / 5')).isExpensive(ofOwners()), false)
  })

  it('runs in a reader process if keys have many rows', (test) => {
    assert.equal(openCosts(test, createItems('id % 10')).isExpensive(ofOwners()), true)
  })

  it('runs in a reader process if one key of many has most of the rows', (test) => {
    const owner = 'iif(id % 10, 2, id)'
    assert.equal(openCosts(test, createItems(owner)).isExpensive(ofOwners()), true)
  })

  it('runs in the process if the index contains the rows with a key only', (test) => {
    const items = createItems('iif(id % 2, null, id / 5)')
    const { isExpensive } = openCosts(
      test,
      items.replace(/\(owner_id, place\)/, '(owner_id) where owner_id is not null'),
    )
    assert.equal(isExpensive(ofOwners()), false)
  })
})

describe('A scan of a small table', () => {
  const fill = insertNotes(200_000, 50)
  const scan = () => readOf('place', 't0.name = ?')

  it('runs in the process if its ids are far apart in a large file', (test) => {
    const small = `create table place (id integer primary key, name text);
      insert into place values (1, 'a'), (9000000000000000000, 'b');`
    assert.equal(openCosts(test, fill + small).isExpensive(scan()), false)
  })

  it('runs in the process if it has no rowids', (test) => {
    const small = `create table place (id text primary key, name text) without rowid;
      insert into place values ('a', 'a');`
    assert.equal(openCosts(test, fill + small).isExpensive(scan()), false)
  })

  it('runs in a reader process if the table is a view: its first row can take any time', (test) => {
    const small = `create view place as select id, title as name from note limit 3;`
    assert.equal(openCosts(test, fill + small).isExpensive(scan()), true)
  })
})

it('given large rows, then samples of them read no page of their values', (test) => {
  const rows = `create table blob (value blob); insert into blob values (zeroblob(10000000));
    ${insertNotes(10, 1_000_000)}
    create table page (id integer primary key, text text, note_id integer);
    insert into page select id, text, id from note;
    create index page_note on page (note_id);`
  const { connection, path } = openCosts(test, rows)
  breakOverflowPages(path)
  assert.throws(() => connection.introspect('select max(note_id) from page not indexed'), /damaged/)
  assert.equal(estimateRowSize(connection, 'page', 10), 1_000_016)
  assert.deepEqual(sampleKeySizes(connection, 'page_note', 1), [])
})

/** Makes SQLite fail where it follows the pages of a long text. */
function breakOverflowPages(path: string): void {
  const file = readFileSync(path)
  const pageSize = 4096
  for (let at = 0; at < file.length; at += pageSize)
    if (file.toString('latin1', at + 4, at + pageSize).startsWith('aaaa'))
      file.fill(0xff, at, at + 4)
  writeFileSync(path, file)
}

it('given more text than the process may search, then the search stops and runs in a reader process', (test) => {
  const { connection } = openCosts(test, insertNotes(1000, 5000))
  const search = (maxId: number, text: string) =>
    connection.rawRows(
      {
        sql: `select count(*) from note as "t0" where id <= ${maxId} and lapidary_matches(t0.text, ?)`,
        placeholders: [],
      },
      [{ is: 'match', text }],
    )
  assert.deepEqual(search(100, 'q'), [[0]])
  assert.throws(() => search(1000, 'q'), LargeValueError)
  // Each statement may search as much.
  assert.deepEqual(search(100, 'q'), [[0]])
  assert.deepEqual(
    connection.withLargeValues(() => search(1000, 'q')),
    [[0]],
  )
})
