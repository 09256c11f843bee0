import { isIndexed } from '../../model/catalog.ts'
import type { KeyColumns, Table } from '../../model/model.ts'
import type { SqliteConnection } from './connection.ts'

/**
 * Creates a function that returns whether columns are the first of an index or of the primary key. It queries each table once: a
 * statement that is compiled before an index is added stays correct, and does not use the index.
 */
export function createIndexLookup(
  connection: SqliteConnection,
): (table: Table, columns: KeyColumns) => boolean {
  const indexesByTable = new Map<string, readonly (readonly string[])[]>()
  return ({ name }, columns) => {
    const indexes = indexesByTable.get(name) ?? queryIndexes(connection, name)
    indexesByTable.set(name, indexes)
    const lowerCase = columns.map((column) => column.toLowerCase())
    return isIndexed({ indexes }, lowerCase)
  }
}

/** Returns the columns of the indexes and of the primary key of a table, in lower case; an expression ends a list. */
function queryIndexes(connection: SqliteConnection, table: string): readonly (readonly string[])[] {
  const rows = connection.introspect(
    `select i.name, lower(c.name) from pragma_index_list(?1) as i, pragma_index_xinfo(i.name) as c
        where not i.partial and c.key
      union all select '', lower(name) from (select name from pragma_table_info(?1) where pk > 0 order by pk)`,
    table,
  )
  return [...Map.groupBy(rows, ([name]) => name).values()].map((columns) => {
    const names = columns.map(([, column]) => column)
    const end = names.indexOf(null)
    return (end === -1 ? names : names.slice(0, end)).map(String)
  })
}
