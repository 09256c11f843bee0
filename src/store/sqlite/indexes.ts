import type { Table } from '../../model/model.ts'
import type { SqliteConnection } from './connection.ts'

/** Makes what says whether a column is the first of an index, the primary key's among them; looked up once a table. */
export function indexedColumns(
  connection: SqliteConnection,
): (table: Table, column: string) => boolean {
  const known = new Map<string, ReadonlySet<string>>()
  return ({ name }, column) => {
    const columns = known.get(name) ?? new Set(connection.leadingColumns(name))
    known.set(name, columns)
    return columns.has(column.toLowerCase())
  }
}
