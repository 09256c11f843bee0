import type { Statement } from '../statement.ts'
import type { SqliteConnection } from './connection.ts'

/** A line of `explain query plan`: its number, the number of its parent, and a description (sqlite.org/eqp.html). */
export type QueryPlanLine = readonly [id: number, parent: number, detail: string]

/** Returns SQLite's plan for a statement. */
export function explainQueryPlan(
  connection: SqliteConnection,
  { sql }: Pick<Statement, 'sql'>,
): QueryPlanLine[] {
  return connection
    .introspect(`explain query plan ${sql}`)
    .map(([id, parent, , detail]): QueryPlanLine => [Number(id), Number(parent), String(detail)])
}

/** Whether a statement has a recursion, as in a view or a declared query: no size of a table bounds it. */
export function isRecursive(statement: Statement, connection: SqliteConnection): boolean {
  const plan = explainQueryPlan(connection, statement)
  return plan.some(([, , detail]) => detail === 'RECURSIVE STEP')
}
