import { sql } from 'kysely'
import { type Catalog, findTable, isIndexed } from '../../model/catalog.ts'
import type { IndexLookup } from '../../sql/database-facts.ts'
import { compileStatement } from '../../sql/statement.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { postgresDialect } from '../dialect.ts'

/** Partial indexes count if they omit only the rows with null in the first column, and then for this column alone. */
const indexesQuery = compileStatement(
  sql`
    select n.nspname, t.relname, case when i.indpred is null then names.list else json_build_array(c.attname) end
    from pg_index as i join pg_class as t on t.oid = i.indrelid join pg_namespace as n on n.oid = t.relnamespace
      join pg_attribute as c on c.attrelid = t.oid and c.attnum = i.indkey[0]
      join pg_class as x on x.oid = i.indexrelid join pg_am as m on m.oid = x.relam
      cross join lateral (
        select json_agg(a.attname order by k.at) as list
        from unnest((i.indkey::int2[])[:coalesce(array_position(i.indkey::int2[], 0::int2), i.indnkeyatts::int) - 1]) with ordinality as k (number, at)
          join pg_attribute as a on a.attrelid = t.oid and a.attnum = k.number) as names
    where i.indisvalid and m.amname in ('btree', 'hash')
      and (i.indpred is null or pg_get_expr(i.indpred, t.oid) = format('(%I IS NOT NULL)', c.attname))
      and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'`,
  postgresDialect('und-x-icu'),
)

/** Queries the indexed columns. The columns of a view count as indexed, because those of its tables may be. */
export async function queryPostgresIndexes(
  connection: PostgresConnection,
  catalog: Catalog,
): Promise<IndexLookup> {
  const rows = await connection.all(indexesQuery, { planValues: [] })
  const byTable = Map.groupBy(rows, ([schema, name]) => JSON.stringify([schema, name]))
  return (table, columns) => {
    const { schema = catalog.schema, name } = table
    const found = byTable.get(JSON.stringify([schema, name])) ?? []
    // The statement aggregates names.
    const indexes = found.map(([, , names]) => names as readonly string[])
    return isIndexed({ indexes }, columns) || findTable(catalog, table)?.is === 'view'
  }
}
