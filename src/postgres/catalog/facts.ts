import { sql } from 'kysely'
import { type Catalog, findTable, isIndexed } from '../../model/catalog.ts'
import type { Dialect } from '../../model/dialect.ts'
import type { Model, Table } from '../../model/model.ts'
import {
  type DatabaseFacts,
  describeTables,
  type IndexLookup,
  type RowsWithoutId,
} from '../../sql/database-facts.ts'
import { hasForeignKey, listRelationshipKeys } from '../../sql/keys/relationship-keys.ts'
import { runCheck } from '../../sql/run-check.ts'
import { compileStatement } from '../../sql/statement.ts'
import { tableName } from '../../sql/tables.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { postgresDialect } from '../dialect.ts'
import { queryOrdinaryTables } from '../read/counts.ts'
import { queryPostgresCatalog } from './catalog.ts'
import { type CollationLookup, queryCollations } from './collations.ts'
import { type ColumnLimits, listColumnLimits } from './column-limits.ts'
import { queryShardedTables } from './sharded-tables.ts'

/** The facts about a database of PostgreSQL. */
export interface PostgresFacts extends DatabaseFacts {
  readonly findCollation: CollationLookup
  readonly columnLimits: ColumnLimits
}

/** Loads the facts about a database of PostgreSQL, without those that depend on the role of a request (`loadRoleFacts`). */
export async function loadPostgresFacts(
  model: Model,
  connection: PostgresConnection,
  dialect: Dialect,
): Promise<PostgresFacts> {
  const catalog = await queryPostgresCatalog(connection)
  const findCollation = await queryCollations(connection, catalog)
  const typeOf = (table: Table, column: string) =>
    findTable(catalog, table)?.columns.get(column)?.type
  return {
    ...describeTables(model, catalog),
    findCollation,
    isIndexed: await queryPostgresIndexes(connection, catalog),
    ignoresCase: (table, column) =>
      typeOf(table, column) === 'citext' || findCollation(table, column)?.isDeterministic === false,
    isSinglePrecision: (table, column) => typeOf(table, column) === 'real',
    mayHide: () => false,
    mayLock: () => true,
    isEnforced: createEnforcedLookup(model, catalog),
    // Another table may inherit from any table at any time, and its rows are then also those of the table.
    hasUniqueIds: () => false,
    rowsWithoutId: await findRowsWithNaN(model, catalog, connection),
    expressions: new Map(),
    collations: new Map(),
    danglingKeys: [],
    columnLimits: listColumnLimits(model, catalog),
    isOrdinary: await queryOrdinaryTables(model, connection, dialect),
    shardingOf: await queryShardedTables(connection),
  }
}

function createEnforcedLookup(model: Model, catalog: Catalog): DatabaseFacts['isEnforced'] {
  const enforced = new Set(
    listRelationshipKeys(model).flatMap((key) => (hasForeignKey(key, catalog) ? [key.field] : [])),
  )
  return (field) => enforced.has(field)
}

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
async function queryPostgresIndexes(
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

/**
 * Finds the types of tables with a row whose id is `NaN`, which the type numeric(n,0) has: it is not an integer, so no request could address the row
 * (docs/decisions/0027). The index of the key finds it.
 */
async function findRowsWithNaN(
  model: Model,
  catalog: Catalog,
  connection: PostgresConnection,
): Promise<ReadonlyMap<string, RowsWithoutId>> {
  const found = new Map<string, RowsWithoutId>()
  for (const resource of model.types.values()) {
    const { type, table, id } = resource
    const [column] = id.columns
    const stored = findTable(catalog, table)
    const isNumeric = stored?.columns.get(column)?.type.startsWith('numeric') ?? false
    // The rows of a view are found by a scan. Ids of other kinds have a text for NaN.
    if (!isNumeric || stored?.is !== 'table' || id.kind.codec !== 'id') continue
    const hasNaN = sql`${sql.id(column)} = 'NaN'::numeric`
    const statement = compileStatement(
      sql`select 1 from ${tableName(table)} where ${hasNaN} limit 1`,
      postgresDialect('und-x-icu'),
    )
    // Requests report a table that the role must not read.
    const rows = await runCheck(statement, (check) => connection.allUnprepared(check))
    if (rows?.length)
      found.set(type, { hasId: (of) => sql`${of(column)} <> 'NaN'::numeric`, found: 'NaN' })
  }
  return found
}
