import type { Model } from '../../model/model.ts'
import type { Target } from '../tables.ts'
import { postgresCatalog } from './catalog.ts'
import type { PostgresConnection } from './connection.ts'
import { listPlainTables } from './counts.ts'
import { type IsIndexed, indexedColumns } from './indexes.ts'
import { listValueLimits, type ValueLimits } from './value-limits.ts'

/** What a store needs to know of the tables of its database. */
export interface TableFacts {
  readonly isIndexed: IsIndexed
  readonly valueLimits: ValueLimits
  /** The tables whose counts may be cached. */
  readonly plainTables: ReadonlySet<string>
}

/** Facts that are safe for any table: no count is cached, and the database checks values itself. */
export const unknownTableFacts: TableFacts = {
  isIndexed: () => true,
  valueLimits: new Map(),
  plainTables: new Set(),
}

/** Reads the facts of a model's tables. Tables that do not exist have none. */
export async function readTableFacts(
  model: Model,
  connection: PostgresConnection,
  target: Target,
): Promise<TableFacts> {
  const catalog = await postgresCatalog(connection)
  return {
    isIndexed: await indexedColumns(connection, catalog),
    valueLimits: listValueLimits(model, catalog),
    plainTables: await listPlainTables(model, connection, target),
  }
}
