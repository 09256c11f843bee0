import { isIndexed } from '../../model/catalog.ts'
import type { IndexLookup } from '../tables.ts'
import type { SqliteConnection } from './connection.ts'

/** A column of an index. The collation is null for the columns of a primary key, which are compared by their own. */
type IndexColumn = readonly [name: string, collation: string | null]

/**
 * Creates a function that returns whether columns are the first of an index or of the primary key. It queries each table once: a
 * statement that is compiled before an index is added stays correct, and does not use the index.
 */
export function createIndexLookup(connection: SqliteConnection): IndexLookup {
  const indexesByTable = new Map<string, readonly (readonly IndexColumn[])[]>()
  return ({ name }, columns, collations = []) => {
    const all = indexesByTable.get(name) ?? queryIndexes(connection, name)
    indexesByTable.set(name, all)
    const lowerCase = columns.map((column) => column.toLowerCase())
    const isComparedBy = ([column, collation]: IndexColumn) => {
      const required = collations[lowerCase.indexOf(column)]
      return required === undefined || required === collation
    }
    const indexes = all.map((index) =>
      index.map((column) => (isComparedBy(column) ? column[0] : '')),
    )
    return isIndexed({ indexes }, lowerCase)
  }
}

/** Returns the columns of the indexes and of the primary key of a table, in lower case; an expression ends a list. */
function queryIndexes(
  connection: SqliteConnection,
  table: string,
): readonly (readonly IndexColumn[])[] {
  const rows = connection.introspect(
    `select i.name, lower(c.name), lower(c.coll) from pragma_index_list(?1) as i, pragma_index_xinfo(i.name) as c
        where not i.partial and c.key
      union all select '', lower(name), null from (select name from pragma_table_info(?1) where pk > 0 order by pk)`,
    table,
  )
  return [...Map.groupBy(rows, ([name]) => name).values()].map((columns) => {
    const end = columns.findIndex(([, name]) => name === null)
    return columns
      .slice(0, end === -1 ? undefined : end)
      .map(
        ([, name, collation]): IndexColumn => [
          String(name),
          collation === null ? null : String(collation),
        ],
      )
  })
}
