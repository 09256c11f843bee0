import { sql } from 'kysely'
import type { Dialect, Sql } from '../../model/dialect.ts'
import type { Model } from '../../model/model.ts'
import { addReadable, type Reading } from '../../observe/readings.ts'
import type { ReadShape } from '../../plan/read.ts'
import { type DatabaseFacts, listTables } from '../../sql/database-facts.ts'
import { quoteTableName } from '../../sql/quote-identifier.ts'
import { compileCount } from '../../sql/read/compile-read.ts'
import { countKey, createCountCache } from '../../sql/read/count-cache.ts'
import { countedTables } from '../../sql/read/read-tables.ts'
import { compileStatement, param, type RunValues, type Statement } from '../../sql/statement.ts'
import { bound } from '../../sql/statement-values.ts'
import type { Target } from '../../sql/tables.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { isGenuinePostgres } from '../dialect.ts'

// Count cache (docs/decisions/0029). To count the rows of all pages PostgreSQL visits each row, so a count is cached while the
// snapshot stays the same: until a transaction that writes ends in any database of the server. Rows `list` and `deep` of the
// benchmark at 1,000,000 persons: 130 and 449 times the throughput of the baseline, which counts each time.
//
// Invariant: the statement that uses a cached count compares its snapshot id with that of the count, in the same snapshot. Only
// counts of ordinary, logged tables without row-level security are cached, and none that involves the SQL of a declaration.

/**
 * Identifies the snapshot of a statement: the transactions that have ended, and the start of the server (PostgreSQL 18, 9.27.8).
 * With the same id an ordinary table has the same rows.
 */
const snapshotId = sql`concat(pg_current_snapshot(), ' ', pg_postmaster_start_time())`

/** Compiles whether the snapshot is that of the cached count. */
export function isSnapshotCurrent({ dialect }: Target): Sql {
  return sql`${snapshotId} = ${param('snapshotId', 'text', dialect)}`
}

/**
 * Selects the snapshot id for a new count; null if the count must not be cached. On a standby the snapshot does not list
 * transactions in progress. A crash undoes transactions that are not flushed to disk, and their ids are assigned again.
 */
export const cacheValidator = sql`case when pg_is_in_recovery() then null
  when pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn() then ${snapshotId} end`

/** Compiles the statement that identifies the committed state of the database; null if it cannot be told. */
export function compileState(dialect: Dialect): Statement {
  return compileStatement(sql`select ${cacheValidator}`, dialect)
}

/**
 * Compiles the statement that identifies the count of a query shape in the cache; null if it must not be cached, or nothing is counted.
 */
export function compileCacheableCount(shape: ReadShape, target: Target): Statement | null {
  const isCounted = shape.isPaged && shape.cursors?.total !== 'none'
  const tables = isCounted ? countedTables(shape, target) : undefined
  return tables?.every(target.facts.isOrdinary) ? compileCount(shape, target) : null
}

/** A count. */
export interface CachedCount {
  readonly count: number
  /** Absent before it was requested. */
  readonly snapshotId?: string | undefined
}

/** Smaller counts are not cached: to compute the snapshot id takes the server as long as to count so many rows. */
const minCachedCount = 500

/** The count cache of a store. */
export class PostgresCountCache {
  readonly #counts = createCountCache<CachedCount>()
  #hits = 0
  #misses = 0

  constructor() {
    addReadable(this)
  }

  /** What telemetry asks of it. */
  readings(): readonly Reading[] {
    return [
      { name: 'count cache hits', value: this.#hits },
      { name: 'count cache misses', value: this.#misses },
    ]
  }

  /** Finds the last count. @param statement - of `compileCacheableCount` */
  find(statement: Statement, values: RunValues): CachedCount | undefined {
    const cached = this.#counts.get(countKey(statement, bound(statement, values)))
    if (cached === undefined) this.#misses += 1
    else this.#hits += 1
    return cached
  }

  /** Adds a count if it is large enough. */
  add(statement: Statement, values: RunValues, count: CachedCount): void {
    if (count.count >= minCachedCount)
      this.#counts.set(countKey(statement, bound(statement, values)), count)
  }
}

/**
 * Finds the ordinary tables of a model: logged ones without row-level security and without child tables. None if the server is not
 * PostgreSQL itself, or if requests have a session: which rows it finds depends on its role, its search path and the policies of the
 * tables.
 */
export async function queryOrdinaryTables(
  model: Model,
  connection: PostgresConnection,
  dialect: Dialect,
): Promise<DatabaseFacts['isOrdinary']> {
  const names = listTables(model).map((table) => sql`(${sql.lit(quoteTableName(table))})`)
  if (names.length === 0 || model.session !== undefined) return () => false
  const isOrdinary = sql`relkind = 'r' and relam = 2 and relpersistence = 'p' and not relrowsecurity and not relhassubclass`
  const query = sql`select name from (values ${sql.join(names)}) as t (name) join pg_class on oid = to_regclass(name)
    where ${isOrdinary} and ${isGenuinePostgres}`
  const rows = await connection.allUnprepared(compileStatement(query, dialect))
  const ordinary = new Set(rows.map(([name]) => String(name)))
  return (table) => ordinary.has(quoteTableName(table))
}
