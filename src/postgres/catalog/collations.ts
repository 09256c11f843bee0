import { sql } from 'kysely'
import type { Catalog } from '../../model/catalog.ts'
import type { Table } from '../../model/model.ts'
import { compileStatement } from '../../sql/statement.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { postgresDialect } from '../dialect.ts'

/** The collation of a text column, and its indexes. */
export interface Collation {
  readonly name: string
  /** Whether different texts are never equal. */
  readonly isDeterministic: boolean
  /** Whether the column is the first of an index. */
  readonly isIndexed: boolean
  /** Whether the column is the first of an index in the order of code points. */
  readonly isIndexedByCodePoint: boolean
}

/** Returns the collation of a column; `undefined` if it does not contain texts. */
export type CollationLookup = (table: Table, column: string) => Collation | undefined

const collationsQuery = compileStatement(
  sql`
    select n.nspname, t.relname, c.attname, l.collname, l.collisdeterministic,
      bool_or(i.indexrelid is not null), coalesce(bool_or(i.indcollation[0] = '"C"'::regcollation), false)
    from pg_attribute as c join pg_class as t on t.oid = c.attrelid join pg_namespace as n on n.oid = t.relnamespace
      join pg_collation as l on l.oid = c.attcollation
      left join (pg_index as i join pg_class as x on x.oid = i.indexrelid join pg_am as m on m.oid = x.relam)
        on i.indrelid = t.oid and i.indkey[0] = c.attnum and i.indpred is null and i.indisvalid and m.amname = 'btree'
    where c.attnum > 0 and not c.attisdropped and t.relkind in ('r', 'p', 'v', 'm', 'f')
      and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'
    group by n.nspname, t.relname, c.attname, l.collname, l.collisdeterministic`,
  postgresDialect('und-x-icu'),
)

/** Queries the collations of all columns. */
export async function queryCollations(
  connection: PostgresConnection,
  catalog: Catalog,
): Promise<CollationLookup> {
  const rows = await connection.all(collationsQuery, { planValues: [] })
  const all = new Map(
    rows.map(([schema, table, column, name, isDeterministic, isIndexed, isIndexedByCodePoint]) => [
      JSON.stringify([schema, table, column]),
      {
        name: String(name),
        isDeterministic: isDeterministic === true,
        isIndexed: isIndexed === true,
        isIndexedByCodePoint: isIndexedByCodePoint === true,
      },
    ]),
  )
  return ({ schema = catalog.schema, name }, column) =>
    all.get(JSON.stringify([schema, name, column]))
}
