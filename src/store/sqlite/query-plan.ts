import type { Statement } from '../statement.ts'
import type { SqliteConnection } from './connection.ts'

/** A line of `explain query plan`: its number, the number of its parent, and a description (sqlite.org/eqp.html). */
export type QueryPlanLine = readonly [id: number, parent: number, detail: string]

/** Returns the number of columns of an index. */
export function countIndexColumns(connection: SqliteConnection, index: string): number {
  return connection.introspect('select name from pragma_index_info(?)', index).length
}

/** Returns SQLite's plan for a statement. */
export function explainQueryPlan(
  connection: SqliteConnection,
  { sql }: Pick<Statement, 'sql'>,
): QueryPlanLine[] {
  return connection
    .introspect(`explain query plan ${sql}`)
    .map(([id, parent, , detail]): QueryPlanLine => [Number(id), Number(parent), String(detail)])
}
