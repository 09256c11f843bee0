import { sql } from 'kysely'
import type { Dialect, Sql } from '../../model/dialect.ts'
import {
  getRelationship,
  getResourceType,
  type Model,
  type ResourceType,
  type Table,
} from '../../model/model.ts'
import { findRowCondition } from '../../plan/access/identity.ts'
import type { RowCondition } from '../../plan/access/rules.ts'
import { collectConditions } from '../../plan/affected-types.ts'
import type { Condition } from '../../plan/condition.ts'
import type { ReadShape } from '../../plan/read.ts'
import { listTables } from '../../sql/database-facts.ts'
import { quoteTableName } from '../../sql/quote-identifier.ts'
import { compileCount } from '../../sql/read/compile-read.ts'
import { countKey, createCountCache } from '../../sql/read/count-cache.ts'
import { compileStatement, param, type RunValues, type Statement } from '../../sql/statement.ts'
import { bound } from '../../sql/statement-values.ts'
import { getAttribute, type Target } from '../../sql/tables.ts'
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

/**
 * Compiles the statement that identifies the count of a query shape in the cache; null if it must not be cached, or nothing is counted.
 * @param cacheableTables - the quoted names of the tables whose counts may be cached
 */
export function compileCacheableCount(
  shape: ReadShape,
  target: Target,
  cacheableTables: ReadonlySet<string>,
): Statement | null {
  const isCounted = shape.isPaged && shape.cursors?.total !== 'none'
  const tables = isCounted ? countedTables(shape, target) : undefined
  const isCacheable = tables?.every((table) => cacheableTables.has(quoteTableName(table)))
  return isCacheable ? compileCount(shape, target) : null
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

  /** Finds the last count. @param statement - of `compileCacheableCount` */
  find(statement: Statement, values: RunValues): CachedCount | undefined {
    return this.#counts.get(countKey(statement, bound(statement, values)))
  }

  /** Adds a count if it is large enough. */
  add(statement: Statement, values: RunValues, count: CachedCount): void {
    if (count.count >= minCachedCount)
      this.#counts.set(countKey(statement, bound(statement, values)), count)
  }
}

/**
 * Lists the tables of a model whose counts may be cached: ordinary, logged tables without row-level security and without child
 * tables. None if the server is not PostgreSQL itself, or if requests have a session: which rows it finds depends on its role, its search
 * path and the policies of the tables.
 */
export async function listCacheableTables(
  model: Model,
  connection: PostgresConnection,
  dialect: Dialect,
): Promise<ReadonlySet<string>> {
  const names = listTables(model).map((table) => sql`(${sql.lit(quoteTableName(table))})`)
  if (names.length === 0 || model.session !== undefined) return new Set()
  const isOrdinary = sql`relkind = 'r' and relam = 2 and relpersistence = 'p' and not relrowsecurity and not relhassubclass`
  const query = sql`select name from (values ${sql.join(names)}) as t (name) join pg_class on oid = to_regclass(name)
    where ${isOrdinary} and ${isGenuinePostgres}`
  const rows = await connection.allUnprepared(compileStatement(query, dialect))
  return new Set(rows.map(([name]) => String(name)))
}

/**
 * Lists the tables that determine the number of resources of a list; a table may occur more than once. Those of the access rules of
 * the target are among them.
 * @returns `undefined` if the SQL of a declaration is involved, which may depend on the time or on anything else
 */
export function countedTables(shape: ReadShape, target: Target): readonly Table[] | undefined {
  const counted = new CountedTables(target)
  const resource = getResourceType(target.model, shape.type)
  counted.addType(resource)
  if (shape.addressed.is === 'related') {
    const parent = getResourceType(target.model, shape.addressed.type)
    counted.addType(parent)
    counted.follow(parent, shape.addressed.relationship)
  }
  counted.addCondition(shape.where, resource)
  return counted.usesColumnsOnly ? counted.tables : undefined
}

/** The tables of a count, as far as its parts were added. */
class CountedTables {
  readonly tables: Table[] = []
  usesColumnsOnly = true
  readonly #target: Target

  constructor(target: Target) {
    this.#target = target
  }

  /** Adds the rows of a type: those of its scope that the rules of the target let a request read. */
  addType({ type, table, hasDeclaredScope }: ResourceType): void {
    this.tables.push(table)
    if (hasDeclaredScope || table.call) this.usesColumnsOnly = false
    const { access } = this.#target
    if (access)
      this.#addRule(findRowCondition(access.rules, type, 'read'), type, access.unrestricted)
  }

  /** Adds the related rows of a relationship. */
  follow(from: ResourceType, relationship: string): void {
    const { link, to } = getRelationship(from, relationship)
    this.addType(getResourceType(this.#target.model, to))
    if (link.foreignKey === 'join table') this.tables.push(link.joinTable)
  }

  /** Adds a condition on the rows of a type, and the rows of other types that it reads. */
  addCondition(root: Condition | undefined, resource: ResourceType): void {
    for (const [from, condition] of collectConditions(root, resource, this.#target.model)) {
      if ('relationship' in condition) this.follow(from, condition.relationship)
      if (condition.is === 'call' || condition.is === 'custom') this.usesColumnsOnly = false
      if ('field' in condition) this.#checkField(from, condition.field)
      if ('other' in condition) this.#checkField(from, condition.other)
    }
  }

  /** Adds the condition of a rule. Inside of it, the rules of other types do not apply. */
  #addRule(rule: RowCondition, type: string, unrestricted: Target): void {
    if (typeof rule === 'boolean') return
    switch (rule.is) {
      case 'any':
      case 'all':
        for (const each of rule.of) this.#addRule(each, type, unrestricted)
        return
      case 'sql':
        this.usesColumnsOnly = false
        return
      case 'filter': {
        const inner = new CountedTables(unrestricted)
        inner.addCondition(rule.condition, getResourceType(unrestricted.model, type))
        this.tables.push(...inner.tables)
        this.usesColumnsOnly &&= inner.usesColumnsOnly
      }
    }
  }

  #checkField(resource: ResourceType, field: string): void {
    if (getAttribute(resource, field).column === undefined) this.usesColumnsOnly = false
  }
}
