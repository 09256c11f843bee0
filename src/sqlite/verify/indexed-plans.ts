import type { ExplainedStatement } from '../../sql/read/explain.ts'
import { SqliteConnection } from '../connection/connection.ts'
import { pageCacheSizes } from '../connection/open-database.ts'
import { explainQueryPlan, formatPlan } from './explain.ts'

/**
 * Adds the plans that statements would have with further indexes, where they differ. SQLite makes them in an empty copy of the
 * schema in memory with the statistics of the database, so that nothing is written and no index is built.
 *
 * @param indexes - `create index` statements
 * @returns the statements as they are if the schema cannot be copied, e.g. because it has a virtual table of an extension
 */
export function addIndexedPlans(
  statements: readonly ExplainedStatement[],
  indexes: readonly string[],
  connection: SqliteConnection,
): ExplainedStatement[] {
  if (indexes.length === 0) return [...statements]
  const copy = new SqliteConnection(':memory:', 'writer', {
    pageCache: pageCacheSizes.shortLived,
  })
  try {
    copySchema(connection, copy, statements)
    for (const index of indexes) copy.execute(index)
    return statements.map((statement) => {
      const indexedPlan = formatPlan(explainQueryPlan(copy, statement))
      const isEqual = indexedPlan.join('\n') === statement.plan.join('\n')
      return isEqual ? statement : { ...statement, indexedPlan }
    })
  } catch {
    return [...statements]
  } finally {
    copy.close()
  }
}

/** A table, an index or a view, as `sqlite_schema` has it. */
interface Definition {
  /** That of the table of an index. */
  readonly table: string
  readonly isView: boolean
  readonly sql: string
}

/**
 * Copies the tables, indexes and views that statements read, without their rows, and the statistics of `analyze`. With hundreds of
 * tables, the copy of all of them would take longer than the plans.
 */
function copySchema(
  from: SqliteConnection,
  to: SqliteConnection,
  statements: readonly ExplainedStatement[],
): void {
  const definitions = from
    .introspect(
      "select tbl_name, type, sql from sqlite_schema where sql is not null and type <> 'trigger' and name not like 'sqlite\\_%' escape '\\' order by rowid",
    )
    .map(
      ([table, type, sql]): Definition => ({
        ...{ table: String(table), isView: type === 'view', sql: String(sql) },
      }),
    )
  const copied = findMentioned(
    definitions,
    statements.map(({ sql }) => sql),
  )
  for (const { table, sql } of definitions) if (copied.has(table)) tryExecute(to, sql)
  const [analyzed] = from.introspect("select 1 from sqlite_schema where name = 'sqlite_stat1'")
  if (analyzed === undefined) return
  to.execute('analyze; delete from sqlite_stat1')
  const statistics = from.introspect('select tbl, idx, stat from sqlite_stat1')
  for (const row of statistics) {
    const values = row.map((value) => (value === null ? 'null' : quoteText(String(value))))
    to.execute(`insert into sqlite_stat1 values (${values.join(', ')})`)
  }
  to.execute('analyze sqlite_schema')
}

/**
 * Finds the tables and views whose names are somewhere in SQL, and those whose names are in the definitions of these views. A name that stands for something else costs the copy of its table, and nothing more.
 */
function findMentioned(
  definitions: readonly Definition[],
  statements: readonly string[],
): ReadonlySet<string> {
  const mentioned = new Set<string>()
  for (let texts = statements; texts.length > 0; ) {
    const text = texts.join('\n').toLowerCase()
    const found = new Set(
      definitions.flatMap(({ table }) =>
        !mentioned.has(table) && text.includes(table.toLowerCase()) ? [table] : [],
      ),
    )
    for (const table of found) mentioned.add(table)
    texts = definitions.flatMap(({ table, isView, sql }) =>
      isView && found.has(table) ? [sql] : [],
    )
  }
  return mentioned
}

/** The tables behind a virtual table are created with it, so their own definitions fail. */
function tryExecute(connection: SqliteConnection, sql: string): void {
  try {
    connection.execute(sql)
  } catch {
    // A statement that needs it has no plan in the copy.
  }
}

function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
