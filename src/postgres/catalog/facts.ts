import { type Catalog, findTable } from '../../model/catalog.ts'
import type { Dialect } from '../../model/dialect.ts'
import type { Model, Table } from '../../model/model.ts'
import { type DatabaseFacts, describeTables } from '../../sql/database-facts.ts'
import { hasForeignKey, listRelationshipKeys } from '../../sql/keys/relationship-keys.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { listCacheableTables } from '../read/counts.ts'
import { findRowsWithNaN } from '../read/nan-ids.ts'
import { queryPostgresCatalog } from './catalog.ts'
import { type CollationLookup, queryCollations } from './collations.ts'
import { type ColumnLimits, listColumnLimits } from './column-limits.ts'
import { queryPostgresIndexes } from './indexes.ts'
import { queryShardedTables } from './sharded-tables.ts'

/** The facts about a database of PostgreSQL. */
export interface PostgresFacts extends DatabaseFacts {
  readonly findCollation: CollationLookup
  readonly columnLimits: ColumnLimits
  /** The quoted names of the tables whose counts may be cached. */
  readonly cacheableTables: ReadonlySet<string>
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
    cacheableTables: await listCacheableTables(model, connection, dialect),
    isSharded: await queryShardedTables(connection),
  }
}

function createEnforcedLookup(model: Model, catalog: Catalog): DatabaseFacts['isEnforced'] {
  const enforced = new Set(
    listRelationshipKeys(model).flatMap((key) => (hasForeignKey(key, catalog) ? [key.field] : [])),
  )
  return (field) => enforced.has(field)
}
