import { findTable } from '../../model/catalog.ts'
import type { Model, Table } from '../../model/model.ts'
import { listTables, type Target } from '../tables.ts'
import { queryPostgresCatalog } from './catalog.ts'
import { queryCollations } from './collations.ts'
import type { PostgresConnection } from './connection.ts'
import { listCacheableTables } from './counts.ts'
import { type IndexLookup, queryIndexes } from './indexes.ts'
import { listValueLimits, type ValueLimits } from './value-limits.ts'

/** Facts about the tables of a model that the store depends on. */
export interface TableFacts {
  readonly isIndexed: IndexLookup
  /** Whether a column is of the type `citext`, or has a nondeterministic collation. */
  readonly ignoresCase: (table: Table, column: string) => boolean
  /** Whether a column is of the type `real`. */
  readonly isSinglePrecision: (table: Table, column: string) => boolean
  readonly valueLimits: ValueLimits
  /** The tables whose counts may be cached. */
  readonly cacheableTables: ReadonlySet<string>
}

/** Facts that are safe for any table: no count is cached, and the database checks values itself. */
export const unknownTableFacts: TableFacts = {
  isIndexed: () => true,
  ignoresCase: () => false,
  isSinglePrecision: () => false,
  valueLimits: new Map(),
  cacheableTables: new Set(),
}

/** Reads the facts of a model's tables. Where a table does not exist yet, all are unknown. */
export async function readTableFacts(
  model: Model,
  connection: PostgresConnection,
  target: Target,
): Promise<TableFacts> {
  const catalog = await queryPostgresCatalog(connection)
  if (listTables(model).some((table) => !findTable(catalog, table))) return unknownTableFacts
  const findCollation = await queryCollations(connection, catalog)
  const typeOf = (table: Table, column: string) =>
    findTable(catalog, table)?.columns.get(column)?.type
  return {
    isIndexed: await queryIndexes(connection, catalog),
    ignoresCase: (table, column) =>
      typeOf(table, column) === 'citext' || findCollation(table, column)?.isDeterministic === false,
    isSinglePrecision: (table, column) => typeOf(table, column) === 'real',
    valueLimits: listValueLimits(model, catalog),
    cacheableTables: await listCacheableTables(model, connection, target),
  }
}
