import type { Table } from '../../model/model.ts'
import type { SqliteConnection } from './connection.ts'

/**
 * Creates a function that returns whether a column is the first of an index or of the primary key. It queries each table once: a
 * statement that is compiled before an index is added stays correct, and does not use the index.
 */
export function createIndexLookup(
  connection: SqliteConnection,
): (table: Table, column: string) => boolean {
  const columnsByTable = new Map<string, ReadonlySet<string>>()
  return ({ name }, column) => {
    const columns = columnsByTable.get(name) ?? queryLeadingColumns(connection, name)
    columnsByTable.set(name, columns)
    return columns.has(column.toLowerCase())
  }
}

/** Returns the first columns of the indexes and of the primary key of a table, in lower case. */
function queryLeadingColumns(connection: SqliteConnection, table: string): ReadonlySet<string> {
  const rows = connection.introspect(
    `select lower(c.name) from pragma_index_list(?1) as i, pragma_index_info(i.name) as c
        where not i.partial and c.seqno = 0 and c.name is not null
      union all select lower(name) from pragma_table_info(?1) where pk = 1`,
    table,
  )
  return new Set(rows.map(([name]) => String(name)))
}
