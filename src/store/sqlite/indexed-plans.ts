import type { ExplainedStatement } from '../explain.ts'
import { SqliteConnection } from './connection.ts'
import { formatPlan } from './explain.ts'
import { pageCacheSizes } from './open-database.ts'
import { explainQueryPlan } from './query-plan.ts'

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
    copySchema(connection, copy)
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

/** Copies the tables, indexes and views of a database without their rows, and the statistics of `analyze`. */
function copySchema(from: SqliteConnection, to: SqliteConnection): void {
  const definitions = from.introspect(
    "select sql from sqlite_schema where sql is not null and type <> 'trigger' and name not like 'sqlite\\_%' escape '\\' order by rowid",
  )
  for (const [sql] of definitions) tryExecute(to, String(sql))
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
