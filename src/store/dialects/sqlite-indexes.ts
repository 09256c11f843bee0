import { sql } from 'kysely'
import type { Table } from '../../model/model.ts'
import { statement } from '../statement.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { sqliteDialect as dialect } from './sqlite-sql.ts'

/** Makes what says whether a column is the first of an index, the primary key's among them; looked up once a table. */
export function indexedColumns(
  connection: SqliteConnection,
): (table: Table, column: string) => boolean {
  const known = new Map<string, ReadonlySet<string>>()
  return ({ name }, column) => {
    const columns = known.get(name) ?? new Set(leadingColumns(connection, name))
    known.set(name, columns)
    return columns.has(column.toLowerCase())
  }
}

function leadingColumns(connection: SqliteConnection, table: string): string[] {
  const name = sql.lit(table)
  const leading = sql`
    select lower(c.name) from pragma_index_list(${name}) as i, pragma_index_info(i.name) as c
      where not i.partial and c.seqno = 0 and c.name is not null
    union all select lower(name) from pragma_table_info(${name}) where pk = 1`
  return connection.all(statement(leading, dialect), { slots: [] }).map(([each]) => String(each))
}
