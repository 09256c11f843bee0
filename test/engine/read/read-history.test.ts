import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { SqliteConnection } from '../../../src/sqlite/connection/connection.ts'
import { searchFunctions } from '../../../src/sqlite/connection/functions.ts'
import { LargeValueError } from '../../../src/sqlite/errors.ts'
import { ReadHistory } from '../../../src/sqlite/readers/read-history.ts'

/** SQL that inserts notes whose texts have a length. */
const insertNotes = (count: number, length: number, from = 1) =>
  `with recursive n (id) as (select ${from} union all select id + 1 from n limit ${count})
    insert into note select id, printf('%.*c', ${length}, 'a'), 'title' from n;`

/** Opens a database as the server's process does for quick reads. */
function open(test: TestContext, rows = '') {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-'))
  const path = join(folder, 'notes.db')
  const other = new DatabaseSync(path)
  other.exec(`create table note (id integer primary key, text text, title text);
    create view number as
      with recursive n (id) as (select 1 union all select id + 1 from n) select id from n;
    ${rows}`)
  const connection = new SqliteConnection(path, 'reader', { limitsValues: true })
  test.after(() => {
    connection.close()
    other.close()
    rmSync(folder, { recursive: true })
  })
  const history = new ReadHistory(connection)
  return { connection, other, history, isQuick: (rows: Query) => history.isQuick({ rows }) }
}

type Query = ReturnType<typeof queryOf>

/** A query with a statement of its own. */
function queryOf(sql: string, offset = 0) {
  return { statement: { sql, placeholders: [] }, values: { planValues: [], offset } }
}

const select = () => queryOf('select 1 from note where title = 1')

/** So many rows that a statement which has not run yet is not known to be quick. */
const large = insertNotes(10_000, 50)

describe('The history of reads on SQLite', () => {
  it('given a statement that has not run, when the database is large, then it is not quick until it was', (test) => {
    const { history, isQuick } = open(test, large)
    const [query, other] = [select(), select()]
    assert.equal(isQuick(query), false)
    history.record(query, 9)
    assert.deepEqual([query, other].map(isQuick), [true, false])
  })

  it('given runs that take longer and longer, then the statement is quick no more, and again when runs are shorter', (test) => {
    const { history, isQuick } = open(test, large)
    const query = select()
    const record = (duration: number) => {
      history.record(query, duration)
      return isQuick(query)
    }
    assert.deepEqual([5, 20, 20].map(record), [true, true, false])
    assert.deepEqual([8, 1].map(record), [true, true])
  })

  it('given one run of more than 50 ms, then the statement is not quick for a minute, whatever other runs take', (test) => {
    const { history, isQuick } = open(test, large)
    const query = select()
    history.record(query, 1)
    assert.equal(isQuick(query), true)
    history.record(query, 51)
    for (let run = 1; run <= 20; run += 1) history.record(query, 0)
    assert.equal(isQuick(query), false)
  })

  it('given a quick list, when its count takes long, then the read is not quick', (test) => {
    const { history } = open(test, large)
    const [rows, count] = [select(), select()]
    assert.equal(history.isQuick({ rows, count }), false)
    history.record(rows, 4)
    // No read has needed the count.
    assert.equal(history.isQuick({ rows, count }), true)
    history.record(count, 8)
    assert.equal(history.isQuick({ rows, count }), false)
    assert.equal(history.isQuick({ rows }), true)
  })

  it('given a read in a transaction, then its statements count together, without its count', (test) => {
    const { history } = open(test, large)
    const [rows, count, included] = [select(), select(), select()]
    assert.equal(history.isQuick({ rows, count }), false)
    const measured = history.measureRead({ rows, count })
    for (const query of [rows, included, included]) measured.record(query, 3)
    measured.record(count, 30)
    measured.end()
    assert.equal(history.isQuick({ rows }), true)
    assert.equal(history.isQuick({ rows, count }), false)
    const next = history.measureRead({ rows, count })
    for (const query of [rows, included, included, included]) next.record(query, 4)
    next.end()
    assert.equal(history.isLong({ rows }), false)
    assert.equal(history.isQuick({ rows }), false)
  })

  it('given a quick first page, then a page far behind is not known to be quick', (test) => {
    const { history, isQuick } = open(test, large)
    const { statement } = select()
    const at = (offset: number) => ({ statement, values: { planValues: [], offset } })
    history.record(at(0), 1)
    assert.deepEqual(
      [0, 100, 100_000].map((offset) => isQuick(at(offset))),
      [true, true, false],
    )
  })

  it('given quick statements, when another process fills the database, then they are not quick any more', (test) => {
    const { history, isQuick, other } = open(test, large)
    const query = select()
    assert.equal(isQuick(query), false)
    history.record(query, 1)
    other.exec(insertNotes(10, 50, 20_000))
    assert.equal(isQuick(query), true)
    other.exec(insertNotes(10_000, 50, 30_000))
    assert.equal(isQuick(query), false)
  })

  it('given a small database, then a statement is quick before it has run, unless it is complex or recursive', (test) => {
    const { history, isQuick, other } = open(test)
    const query = select()
    assert.equal(isQuick(query), true)
    history.record(query, 49)
    assert.equal(isQuick(query), true)
    history.record(query, 51)
    assert.equal(isQuick(query), false)
    assert.equal(isQuick(queryOf(`select 1 from note where title = '${'a'.repeat(4000)}'`)), false)
    const recursive = queryOf('select id from number order by id desc')
    assert.equal(isQuick(recursive), false)
    // Never: another value could make it endless.
    history.record(recursive, 0)
    history.record(recursive, 51)
    assert.equal(isQuick(recursive), false)
    other.exec(large)
    assert.equal(isQuick(select()), false)
  })

  it('given a search, then it is never read in batches in the process', (test) => {
    const { history } = open(test)
    const search = queryOf(`select 1 from note where instr(title, 'x')`)
    assert.equal(history.isQuick({ rows: search }), true)
    assert.equal(history.areQuickStreams([search]), false)
    assert.equal(history.areQuickStreams([select()]), true)
  })

  it('given many quick statements that are read in batches, then they are quick only if all of them together are', (test) => {
    const { history } = open(test, large)
    const queries = Array.from({ length: 20 }, select)
    for (const query of queries) history.record(query, 1)
    assert.equal(history.areQuickStreams(queries), false)
    assert.equal(history.areQuickStreams(queries.slice(0, 10)), true)
  })

  it('given a view that searches, then a statement that reads it is a search', (test) => {
    const { history, other } = open(test)
    other.exec(`create view titled as select id, instr(title, 'x') as at from note`)
    const query = queryOf('select 1 from titled where at > 0')
    assert.equal(history.areQuickStreams([query]), false)
  })

  it('given a read that blocks the process for long, then it does so once', (test) => {
    const { history, isQuick } = open(test)
    const [rows, count] = [select(), select()]
    assert.equal(isQuick(rows), true)
    const block = () => {
      const { user, system } = process.cpuUsage()
      const used = () => process.cpuUsage().user + process.cpuUsage().system - user - system
      while (used() < 100_000);
    }
    history.run({ rows, count }, (measureCount) => measureCount(count, block))
    assert.deepEqual([rows, count].map(isQuick), [true, false])
    assert.equal(history.isQuick({ rows, count }), false)
    history.run({ rows }, block)
    assert.equal(isQuick(rows), false)
  })
})

/** How many searches a condition has. */
const searches: readonly (readonly [condition: string, count: number])[] = [
  ["title = 'x'", 0],
  ['id in (select value from json_each(?))', 0],
  ["title collate binary >= ? and title collate binary < lapidary_after('x')", 0],
  ["iif(typeof(?1) = 'text', title glob ?1, lapidary_matches(title, ?1))", 2],
  ["substr(title, length(title) - 1) = 'x'", 2],
  ["lapidary_fold(title) in ('x', 'y')", 1],
  ["json_type(title) = 'array' and title ->> 0 = json_extract(title, '$[1]')", 1],
  ["lapidary_decimal(title) = '1' or INSTR(title, 'x') > 0", 2],
]
for (const [condition, count] of searches)
  it(`given the condition ${condition}, then it counts as ${count} searches`, (test) => {
    const { connection } = open(test)
    const { statement } = queryOf(`select id from note where ${condition}`)
    assert.equal(connection.factsOf(statement).searches, count)
  })

it('given a function of the store, then it counts as a search, unless its argument is never a stored text', (test) => {
  const { connection } = open(test)
  const names = connection
    .introspect(`select distinct name from pragma_function_list where name like 'lapidary%'`)
    .flat()
  const unlimited = ['lapidary_after', 'lapidary_is_valid']
  assert.deepEqual(names.toSorted(), [...searchFunctions, ...unlimited].toSorted())
})

it('given more text than the process may search, then the search stops', (test) => {
  const { connection } = open(test, insertNotes(1000, 5000))
  const statement = (maxId: number) => ({
    sql: `select count(*) from note as "t0" where id <= ${maxId} and lapidary_matches(t0.text, ?)`,
    placeholders: [],
  })
  const search = (maxId: number) =>
    connection.rawRows(statement(maxId), [{ is: 'match', text: 'q' }])
  assert.deepEqual(search(100), [[0]])
  assert.throws(() => search(1000), LargeValueError)
  // Each statement may search as much.
  assert.deepEqual(search(100), [[0]])
  assert.deepEqual(
    connection.withLargeValues(() => search(1000)),
    [[0]],
  )
})
