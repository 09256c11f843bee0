import { isIndexed } from '../../model/catalog.ts'
import type { IndexLookup } from '../../sql/database-facts.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { lowerAscii } from './schema-facts.ts'

/** A column of an index. The collation is null for the columns of a primary key, which are compared by their own. */
type IndexColumn = readonly [name: string, collation: string | null]

const query = `
  with tables as (select name from sqlite_schema where type = 'table' and rootpage <> 0)
  select lower(t.name), i.name, c.seqno, lower(c.name), lower(c.coll)
    from tables as t, pragma_index_list(t.name) as i, pragma_index_xinfo(i.name) as c where not i.partial and c.key
  union all select lower(t.name), '', c.pk, lower(c.name), null
    from tables as t, pragma_table_info(t.name) as c where c.pk > 0
  order by 1, 2, 3`

/** Queries the columns of the indexes and of the primary keys of all tables, in lower case; an expression ends a list. */
export function querySqliteIndexes(connection: SqliteConnection): IndexLookup {
  const byTable = new Map(
    [...Map.groupBy(connection.introspect(query), ([table]) => table)].map(([table, rows]) => [
      table,
      [...Map.groupBy(rows, ([, index]) => index).values()].map(toColumns),
    ]),
  )
  return ({ name }, columns, collations = []) => {
    const lowerCase = columns.map((column) => column.toLowerCase())
    const isComparedBy = ([column, collation]: IndexColumn) => {
      const required = collations[lowerCase.indexOf(column)]
      return required === undefined || required === collation
    }
    const indexes = (byTable.get(lowerAscii(name)) ?? []).map((index) =>
      index.map((column) => (isComparedBy(column) ? column[0] : '')),
    )
    return isIndexed({ indexes }, lowerCase)
  }
}

function toColumns(rows: readonly (readonly unknown[])[]): readonly IndexColumn[] {
  const end = rows.findIndex(([, , , name]) => name === null)
  return rows
    .slice(0, end === -1 ? undefined : end)
    .map(
      ([, , , name, collation]): IndexColumn => [
        String(name),
        collation === null ? null : String(collation),
      ],
    )
}
