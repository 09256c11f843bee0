import { sql } from 'kysely'
import { type Catalog, findTable } from '../../model/catalog.ts'
import type { Table } from '../../model/model.ts'
import { compileStatement } from '../statement.ts'
import type { PostgresConnection } from './connection.ts'
import { postgresDialect } from './dialect.ts'

/** Returns whether a column is the first of an index that finds each of its values. */
export type IndexLookup = (table: Table, column: string) => boolean

/** Partial indexes count if they omit only the rows with null in the column. */
const indexesQuery = compileStatement(
  sql`
    select distinct n.nspname, t.relname, c.attname
    from pg_index as i join pg_class as t on t.oid = i.indrelid join pg_namespace as n on n.oid = t.relnamespace
      join pg_attribute as c on c.attrelid = t.oid and c.attnum = i.indkey[0]
      join pg_class as x on x.oid = i.indexrelid join pg_am as m on m.oid = x.relam
    where i.indisvalid and m.amname in ('btree', 'hash')
      and (i.indpred is null or pg_get_expr(i.indpred, t.oid) = format('(%I IS NOT NULL)', c.attname))
      and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'`,
  postgresDialect('und-x-icu'),
)

/** Queries the indexed columns. The columns of a view count as indexed, because those of its tables may be. */
export async function queryIndexes(
  connection: PostgresConnection,
  catalog: Catalog,
): Promise<IndexLookup> {
  const rows = await connection.all(indexesQuery, { planValues: [] })
  const all = new Set(rows.map((names) => JSON.stringify(names)))
  return (table, column) => {
    const { schema = catalog.schema, name } = table
    return (
      all.has(JSON.stringify([schema, name, column])) || findTable(catalog, table)?.is === 'view'
    )
  }
}
