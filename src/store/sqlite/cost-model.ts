import { performance } from 'node:perf_hooks'
import { LRUCache } from 'lru-cache'
import type { Model } from '../../model/model.ts'
import type { ReadPlan, ReadShape } from '../../plan/read.ts'
import type { Statement } from '../statement.ts'
import type { Target } from '../tables.ts'
import type { SqliteConnection } from './connection.ts'
import { type FullRead, listFollowingStatements } from './full-read.ts'
import { sampleKeySizes } from './key-size.ts'
import {
  type CostContext,
  compileReadCost,
  compileStatementCost,
  type Observation,
  type ReadCost,
} from './read-cost.ts'
import type { Sizes } from './statement-cost.ts'
import type { SqliteStatements } from './statements.ts'
import { estimateRowCount, estimateRowSize, type TableSize } from './table-size.ts'

/** A read that takes this much CPU time counts as slow for a while, whatever its estimate; in milliseconds. */
const slowDuration = 50
/** How long a read counts as slow, in milliseconds. */
const slowPeriod = 60_000
/** How long the sizes of tables are cached, in milliseconds. */
const sizeLifetime = 1000
/** How long samples of rows are cached, in milliseconds, unless the database grows by more than an eighth. */
const sampleLifetime = 60_000
const sampleGrowth = 1.125
/** A database that grows by fewer pages has not grown: estimates need not be exact. */
const smallGrowth = 16
/** The cost of counting a row, as a share of visiting it: SQLite reads only the pages of the smallest index. */
const countShare = 0.02
/** The number of rows that an unpaged list is expected to have. */
const unpagedRows = 500

/**
 * Estimates the duration of reads from SQLite's query plans and the sizes of the tables. Expensive reads run in reader
 * processes, because `node:sqlite` blocks the event loop and cannot be interrupted (docs/decisions/0041).
 */
export class CostModel {
  readonly #connection: SqliteConnection
  readonly #sizes = new Map<string, TableSize>()
  readonly #rowSizes = new Map<string, number>()
  readonly #keySizes = new Map<string, readonly number[] | undefined>()
  #samplesExpire = Number.NEGATIVE_INFINITY
  /** The size of the database from which on new samples are taken, in pages. */
  #samplesMaxPages = 0
  /** The version of the cached sizes. */
  #version = 0
  #lastRefresh = Number.NEGATIVE_INFINITY
  /** The size of the database at the last refresh, in pages. */
  #pageCount = 0
  /** The version of the database at which its size was last compared with that of the refresh. */
  #verifiedVersion: number | undefined
  readonly #streamCosts = new WeakMap<ReadShape, ReadCost>()
  /** The costs of statements that are not part of a read plan, by their SQL. */
  readonly #statementCosts = new LRUCache<string, ReadCost>({ max: 100 })
  /** What was observed of the reads of each type that search in values. */
  readonly #searches = new Map<string, Observation>()

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  /** Returns the cost of a read whose rows are all held in memory. */
  ofFullRead(fullRead: FullRead, shape: ReadShape, { model }: Target): ReadCost {
    fullRead.cost ??= compileReadCost(
      shape,
      {
        rows: fullRead.read.boundedRows,
        count: fullRead.read.count,
        others: listFollowingStatements(fullRead),
      },
      this.#context(model),
    )
    return fullRead.cost
  }

  /** Returns the cost of a stream, up to its first batch. */
  ofStream(shape: ReadShape, statements: SqliteStatements): ReadCost {
    const known = this.#streamCosts.get(shape)
    if (known !== undefined) return known
    const { rows, count, includedRows } = statements.streamedRead(shape)
    const { model } = statements.target
    const read = { rows, count, others: includedRows() }
    const cost = compileReadCost(shape, read, this.#context(model))
    this.#streamCosts.set(shape, cost)
    return cost
  }

  /** Returns the cost of a statement that is not part of a read plan. @param type - in whose values it may search */
  ofStatement(statement: Statement, type: string): ReadCost {
    const known = this.#statementCosts.get(statement.sql)
    if (known !== undefined) return known
    const context = { connection: this.#connection, searchesOf: this.#searchesOf }
    const cost = compileStatementCost(statement, type, context)
    this.#statementCosts.set(statement.sql, cost)
    return cost
  }

  /**
   * Records the duration of a read that was estimated as cheap. If it was slow by the wall clock, the CPU time of the next one
   * is measured, because the machine may have been busy.
   * @param start - on the clock of `performance.now`
   * @param cpuStart - the CPU time at the start of a suspect read
   */
  recordDuration(cost: ReadCost, start: number, cpuStart: NodeJS.CpuUsage | undefined): void {
    const now = performance.now()
    if (cpuStart === undefined) {
      if (now - start > slowDuration) cost.observed.isSuspect = true
      return
    }
    const { user, system } = process.threadCpuUsage(cpuStart)
    cost.observed.isSuspect = false
    if ((user + system) / 1000 > slowDuration) cost.observed.slowUntil = now + slowPeriod
  }

  /** Records that a read has met a value that is too large for this process. @param now - on the clock of `performance.now` */
  recordLargeValue(cost: ReadCost, now: number): void {
    cost.observed.slowUntil = now + slowPeriod
  }

  /** Estimates the duration of a read in milliseconds. @param now - on the clock of `performance.now` */
  estimate(cost: ReadCost, { page }: Pick<ReadPlan, 'page'>, now: number): number {
    if (now - this.#lastRefresh > sizeLifetime) this.#refresh(now)
    if (cost.estimate.version !== this.#version) this.#renewEstimate(cost)
    const { fixed, perRow } = cost.estimate
    const rows = page === undefined ? unpagedRows : page.number * page.size
    const duration = fixed + perRow * rows
    const isSlow =
      now < cost.observed.slowUntil || (cost.searchesValues && !this.#connection.limitsValues)
    return isSlow ? Math.max(duration, slowDuration) : duration
  }

  /**
   * Makes the next estimate read the sizes of the tables again if the database has grown much since they were read. Another process
   * can commit a million rows at once, and the cached sizes do not know of them.
   *
   * @returns true if it has grown, so that an estimate made before does not hold
   */
  expireSizesIfGrown({ dependsOnSizes }: ReadCost): boolean {
    if (!dependsOnSizes) return false
    // Only a commit changes the size, and to read the version takes a third of the time.
    const version = this.#connection.version()
    if (version === this.#verifiedVersion) return false
    if (this.#connection.countPages() <= 2 * this.#pageCount + smallGrowth) {
      this.#verifiedVersion = version
      return false
    }
    this.#lastRefresh = Number.NEGATIVE_INFINITY
    return true
  }

  #context(model: Model): CostContext {
    return { connection: this.#connection, model, searchesOf: this.#searchesOf }
  }

  readonly #searchesOf = (type: string): Observation => {
    const observed = this.#searches.get(type) ?? { isSuspect: false, slowUntil: 0 }
    this.#searches.set(type, observed)
    return observed
  }

  #refresh(now: number): void {
    this.#sizes.clear()
    this.#lastRefresh = now
    this.#pageCount = this.#connection.countPages()
    this.#version += 1
    if (now < this.#samplesExpire && this.#pageCount <= this.#samplesMaxPages) return
    this.#rowSizes.clear()
    this.#keySizes.clear()
    this.#samplesExpire = now + sampleLifetime
    this.#samplesMaxPages = this.#pageCount * sampleGrowth + smallGrowth
  }

  #renewEstimate(cost: ReadCost): void {
    const sizes: Sizes = {
      tableSize: (table) => this.#tableSize(table),
      keySizes: (index, columnCount) => this.#sampleKeySizes(index, columnCount),
    }
    const statements = cost.fixed.reduce((sum, each) => sum + each.estimate(sizes), 0)
    const count = (cost.tableCount?.estimate(sizes) ?? 0) * countShare
    const tableSize = (table: string) => ({ ...this.#tableSize(table), rows: 1 })
    const perRow = cost.page?.estimate({ ...sizes, tableSize }) ?? 0
    cost.estimate = { version: this.#version, fixed: statements + count, perRow }
  }

  #tableSize(table: string): TableSize {
    const known = this.#sizes.get(table)
    if (known !== undefined) return known
    const rows = estimateRowCount(this.#connection, table)
    const rowSize = this.#rowSizes.get(table) ?? estimateRowSize(this.#connection, table, rows)
    const size = { rows, rowSize }
    this.#sizes.set(table, size)
    this.#rowSizes.set(table, rowSize)
    return size
  }

  #sampleKeySizes(index: string, columnCount: number): readonly number[] | undefined {
    const key = `${columnCount} ${index}`
    if (!this.#keySizes.has(key))
      this.#keySizes.set(key, sampleKeySizes(this.#connection, index, columnCount))
    return this.#keySizes.get(key)
  }
}
