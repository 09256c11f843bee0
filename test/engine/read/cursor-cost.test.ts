import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { attribute, date, defineModel, integer, resource, text, toOne } from 'lapidary'
import { Client } from 'pg'
import { getResourceType } from '../../../src/model/model.ts'
import { parseQuery } from '../../../src/parse/query.ts'
import { sealCursor } from '../../../src/plan/cursor.ts'
import { createPlanner } from '../../../src/plan/planner.ts'
import { planCollection, type ReadPlan } from '../../../src/plan/read.ts'
import { postgresDialect } from '../../../src/postgres/dialect.ts'
import { compileDocumentStatement } from '../../../src/postgres/read/document-statement.ts'
import type { DatabaseFacts } from '../../../src/sql/database-facts.ts'
import { compileRead } from '../../../src/sql/read/compile-read.ts'
import { readBudget } from '../../../src/sql/read/document-budget.ts'
import { createRunValues } from '../../../src/sql/read/run-values.ts'
import { bound } from '../../../src/sql/statement-values.ts'
import { sqliteDialect } from '../../../src/sqlite/dialect.ts'
import { orderOf } from '../../cursor-order.ts'
import { type Database, databases } from '../../databases.ts'
import { filled } from '../../filled.ts'
import { emptyTarget } from '../empty-facts.ts'

/** The rows of the list. */
const rows = Number(process.env.LAPIDARY_CURSOR_ROWS ?? 20_000)
/** The resources on a page. */
const size = 30
/** How much more a page far behind may cost than the first one. */
const most = 1.2
/** What the first page may cost, however many rows there are. */
const mostOfFirst = 12_500
/** Pages of an index that PostgreSQL reads to find the first row of a branch; the steps of SQLite show rows, and hardly depth. */
const descents = { sqlite: 0, postgres: 12 }

const task = resource('task', {
  path: '/tasks',
  table: 'task',
  fields: {
    rank: attribute(integer),
    due: attribute(date),
    owner: toOne('owner', { column: 'owner_id' }),
  },
})
const owner = resource('owner', {
  path: '/owners',
  table: 'owner',
  fields: { name: attribute(text) },
})
const model = defineModel([task, owner], { secret: 'the secret of the tests' })
const planner = createPlanner(model)
const type = getResourceType(model, 'task')

/** A tenth of the dates and a twentieth of the owners is null. */
const columns = {
  sqlite: {
    id: 'integer primary key',
    due: `date('2000-01-01', '+' || (n / 10) || ' days')`,
    series: (count: number) =>
      `(with recursive s (n) as (select 1 union all select n + 1 from s where n < ${count}) select n from s)`,
    name: `printf('%08d', n)`,
    order: '',
  },
  postgres: {
    id: 'bigint primary key',
    due: `(date '2000-01-01' + (n / 10)::int)`,
    series: (count: number) => `generate_series(1, ${count}) as s (n)`,
    name: `lpad(n::text, 8, '0')`,
    order: ' collate "C"',
  },
}

/** How many rows have no owner, and how many owners no name: conditions over the number `n` of a row. */
interface Nulls {
  readonly unowned: string
  readonly unnamed: string
}

function tables({ dialect }: Database, { unowned, unnamed }: Nulls): string {
  const { id, due, series, name, order } = columns[dialect]
  const owners = Math.ceil(rows / 5)
  const dueType = dialect === 'sqlite' ? 'text' : 'date'
  return `
    create table owner (id ${id}, name text);
    create table task (id ${id}, rank bigint, due ${dueType}, owner_id bigint references owner);
    insert into owner (id, name) select n, case when not (${unnamed}) then ${name} end from ${series(owners)};
    insert into task (id, rank, due, owner_id)
      select n, n / 3, case when n % 10 > 0 then ${due} end, case when not (${unowned}) then 1 + n / 5 % ${owners} end from ${series(rows)};
    create index task_rank on task (rank, id);
    create index task_due on task (due desc, id);
    create index owner_name on owner (name${dialect === 'sqlite' ? '' : `${order}`});
    create index task_owner on task (owner_id, id);
    analyze;
  `
}

/**
 * Measures the rows that a plan visits: steps of the virtual machine of SQLite, buffers of PostgreSQL.
 * @param facts - others than those of the best database
 */
type Measure = (plan: ReadPlan, facts?: Partial<DatabaseFacts>) => Promise<number>

async function measureOn(
  test: TestContext,
  database: Database,
  nulls: Nulls = { unowned: 'n % 20 = 0', unnamed: 'n < 0' },
): Promise<Measure> {
  const url = await filled(test, database, tables(database, nulls))
  if (database.dialect === 'sqlite') {
    const connection = new DatabaseSync(url.slice('sqlite:'.length))
    test.after(() => connection.close())
    return async (plan, facts) => {
      const { rows: statement } = compileRead(plan.shape, emptyTarget(model, sqliteDialect, facts))
      return countSteps(
        connection,
        statement.sql,
        bound(statement, createRunValues(plan, undefined)),
      )
    }
  }
  const client = new Client({ connectionString: url })
  await client.connect()
  test.after(() => client.end())
  await client.query('vacuum analyze')
  return async (plan, facts) => {
    const target = emptyTarget(model, postgresDialect('und-x-icu'), facts)
    const statement = compileDocumentStatement(plan.shape, target, { budget: readBudget })
    const values = bound(statement, createRunValues(plan, undefined))
    const explain = `explain (analyze, buffers, timing off, format json) ${statement.sql}`
    const {
      rows: [explained],
    } = await client.query(explain, values)
    const { Plan: root } = explained['QUERY PLAN'][0]
    return root['Shared Hit Blocks'] + root['Shared Read Blocks']
  }
}

/** Counts the steps of a statement by a function that SQLite calls for each thousand of them; rows are read one by one. */
function countSteps(connection: DatabaseSync, sql: string, values: readonly unknown[]): number {
  const statement = connection.prepare(sql)
  statement.setReadBigInts(true)
  // The engine binds nothing else.
  statement.all(...(values as never[]))
  const stat: unknown = Reflect.get(statement, 'stat')
  assert.equal(typeof stat, 'function', 'node:sqlite counts no steps')
  return Number(Reflect.apply(stat as () => number, statement, ['vmStep']))
}

function planPage(sort: string, position: string): ReadPlan {
  const query = `sort=${sort}&page[size]=${size}&page[total]=none${position}`
  return planCollection(planner, parseQuery(query), { resource: type })
}

/** The id of a row behind nine tenths of the list: with 1,000,000 rows, it is at the end of page 30,000. */
const findRow = (sort: string) => Math.ceil((rows * (sort[0] === '-' ? 0.1 : 0.9)) / 20) * 20 + 7

const nameDay = (row: number) =>
  new Date(Date.UTC(2000, 0, 1 + Math.floor(row / 10))).toISOString().slice(0, 10)
const nameOwner = (row: number) =>
  String(1 + (Math.floor(row / 5) % Math.ceil(rows / 5))).padStart(8, '0')

/** The key values of a row, by sort. */
const sorts: Readonly<Record<string, (row: number) => readonly (string | number)[]>> = {
  id: () => [],
  rank: (row) => [Math.floor(row / 3)],
  '-due': (row) => [nameDay(row)],
  'owner.name': (row) => [nameOwner(row)],
  '-owner.name,id': (row) => [nameOwner(row)],
}

for (const database of databases)
  for (const [sort, readKeys] of Object.entries(sorts))
    it(`given ${rows} rows sorted by ${sort}, then a page far behind visits as many as the first · ${database.name}`, async (test) => {
      const measure = await measureOn(test, database)
      const encode = (key: string | number) =>
        database.dialect === 'sqlite' && typeof key === 'number' ? `i${key}` : `t${key}`
      const row = findRow(sort)
      const id = encode(row)
      const order = orderOf(model, 'task', sort)
      const position = { place: 'on', keys: [...readKeys(row).map(encode), id] } as const
      const cursor = sealCursor(position, order)
      const end = sealCursor({ place: 'end' }, order)
      const first = await measure(planPage(sort, ''))
      const last = await measure(planPage(sort, `&page[before]=${end}`))
      // Resources without an owner are at one end: their page costs less.
      const near = Math.max(first, last)
      for (const parameter of ['page[after]', 'page[before]']) {
        const far = await measure(planPage(sort, `&${parameter}=${cursor}`))
        const limit = near * most + descents[database.dialect]
        test.diagnostic(`${parameter}: ${far}, the pages at the ends ${first} and ${last}`)
        assert.ok(far <= limit, `${parameter}: ${far} instead of ${near}`)
      }
      // Far below one visit for each row: one row in twenty has no owner.
      assert.ok(first < mostOfFirst, `the first page: ${first}`)
    })

/** Four rows without an owner, four owners without a name. */
const fewRows = `n % ${rows / 4} = 5`
const fewOwners = `n % ${rows / 20} = 7`

/** Which rows have no owner and which owners no name, and the most that a page of such rows may cost. */
const nullRows = [
  {
    title: 'few rows',
    unowned: fewRows,
    unnamed: 'n < 0',
    most: { sqlite: 4_000, postgres: 60 },
  },
  {
    title: 'few owners',
    unowned: 'n < 0',
    unnamed: fewOwners,
    most: { sqlite: 4_000, postgres: 60 },
  },
  {
    title: 'few rows and owners',
    unowned: fewRows,
    unnamed: fewOwners,
    most: { sqlite: 4_000, postgres: 60 },
  },
  {
    title: 'many rows',
    unowned: 'n % 3 = 1',
    unnamed: fewOwners,
    most: { sqlite: 4_000, postgres: 120 },
  },
  // SQLite counts a thousand of the owners' rows, and reads the list in its order then.
  {
    title: 'many owners',
    unowned: fewRows,
    unnamed: 'n % 3 = 1',
    most: { sqlite: 16_000, postgres: 120 },
  },
] as const

for (const database of databases)
  for (const { title, most, ...nulls } of nullRows)
    it(`given ${title} of ${rows} without a value of a related key that references a row, then a page of these visits few · ${database.name}`, async (test) => {
      const measure = await measureOn(test, database, nulls)
      const at = (sort: string, row: number) =>
        sealCursor(
          { place: 'on', keys: [null, database.dialect === 'sqlite' ? `i${row}` : `t${row}`] },
          orderOf(model, 'task', sort),
        )
      const pages = [
        planPage('-owner.name', ''),
        planPage('-owner.name', `&page[after]=${at('-owner.name', (9 * rows) / 10)}`),
        planPage('owner.name', `&page[after]=${at('owner.name', 1)}`),
        planPage('owner.name', `&page[before]=${at('owner.name', (9 * rows) / 10)}`),
      ]
      for (const [index, page] of pages.entries()) {
        const cost = await measure(page)
        const other = await measure(page, { isEnforced: () => false })
        test.diagnostic(`page ${index}: ${cost}, by reading the list ${other}`)
        assert.ok(cost <= most[database.dialect], `page ${index}: ${cost}`)
      }
    })
