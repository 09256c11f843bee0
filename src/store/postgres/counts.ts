import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import type { Model, Table } from '../../model/model.ts'
import type { ReadShape } from '../../plan/read.ts'
import { countKey, createCountCache } from '../count-cache.ts'
import { countedTables } from '../counted-tables.ts'
import { compileCount } from '../read.ts'
import { bound, compileStatement, param, type RunValues, type Statement } from '../statement.ts'
import { listTables, type Target } from '../tables.ts'
import type { PostgresConnection } from './connection.ts'
import { isGenuinePostgres } from './dialect.ts'

/**
 * What a statement sees, as a text: which transactions have ended, and of which server. While it is the same, so are the
 * rows of tables that keep them themselves (PostgreSQL 18, 9.27.8); decision 0036 says what that takes.
 */
const snapshotId = sql`concat(pg_current_snapshot(), ' ', pg_postmaster_start_time())`

/** Whether the moment is still that of a count which is remembered. */
export function isSnapshotCurrent({ dialect }: Target): Sql {
  return sql`${snapshotId} = ${param('snapshotId', 'text', dialect)}`
}

/**
 * The moment of a count, null where it does not tell one from another: the snapshot of a standby does not list what is in
 * progress, and what a crash undoes, because it is not written yet, has numbers that are given again.
 */
export const cacheValidator = sql`case when pg_is_in_recovery() then null
  when pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn() then ${snapshotId} end`

/** What a count is of, where rows alone decide it. */
export interface CacheableCount {
  /** The names of the tables, as SQL has them. */
  readonly tables: readonly string[]
  /** The statement that would count. */
  readonly statement: Statement
}

/** Makes what the count of a shape is of; null where it is not of rows alone, or nothing is counted. */
export function compileCacheableCount(shape: ReadShape, target: Target): CacheableCount | null {
  const tables = shape.isPaged ? countedTables(shape, target.model) : undefined
  if (tables === undefined) return null
  return { tables: tables.map(quotedName), statement: compileCount(shape, target) }
}

/** A count, and the moment of which it is, once somebody has asked for it. */
export interface CachedCount {
  readonly count: number
  readonly snapshotId?: string | undefined
}

/** Less than this is counted each time: to ask for the moment takes the server as long as to count so many. */
const worthwhile = 500

/** The counts that reads came to. Nothing is remembered before it is known what the tables are. */
export class PostgresCountCache {
  readonly #known = createCountCache<CachedCount>()
  #plain: ReadonlySet<string> = new Set()

  /** Takes counts of some tables for lasting, from now on. */
  enableFor(plain: ReadonlySet<string>): void {
    this.#plain = plain
  }

  /** What was counted the last time. */
  find(countable: CacheableCount, values: RunValues): CachedCount | undefined {
    if (!this.#isLasting(countable)) return undefined
    return this.#known.get(countKey(countable.statement, bound(countable.statement, values)))
  }

  /** Remembers a large count: once its moment is known, for as long as that is the moment. */
  add(countable: CacheableCount, values: RunValues, counted: CachedCount): void {
    if (counted.count < worthwhile || !this.#isLasting(countable)) return
    this.#known.set(countKey(countable.statement, bound(countable.statement, values)), counted)
  }

  #isLasting({ tables }: CacheableCount): boolean {
    return tables.every((table) => this.#plain.has(table))
  }
}

/**
 * The tables of a model that keep their rows themselves, in the way of PostgreSQL and safe from a crash, and show all of them
 * to everybody; none where another server speaks for PostgreSQL, or with it.
 */
export async function listCacheableTables(
  model: Model,
  connection: PostgresConnection,
  { dialect }: Target,
): Promise<ReadonlySet<string>> {
  const names = listTables(model).map((table) => sql`(${sql.lit(quotedName(table))})`)
  if (names.length === 0) return new Set()
  const is = sql`relkind = 'r' and relam = 2 and relpersistence = 'p' and not relrowsecurity and not relhassubclass`
  const plain = sql`select name from (values ${sql.join(names)}) as t (name) join pg_class on oid = to_regclass(name)
    where ${is} and ${isGenuinePostgres}`
  const rows = await connection.allUnprepared(compileStatement(plain, dialect))
  return new Set(rows.map(([name]) => String(name)))
}

function quotedName({ schema, name }: Table): string {
  return [schema, name]
    .filter((part) => part !== undefined)
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.')
}
