import type { Model } from '../../model/model.ts'
import { memoizeByIdentity } from '../../plan/cache/memoize-by-identity.ts'
import type { ReadPlan, ReadShape } from '../../plan/read.ts'
import type { Statement } from '../statement.ts'
import type { SqliteConnection } from './connection.ts'
import type { SqliteStatements, WholeRead } from './full-read.ts'
import { compileCost, type Estimate, type ReadCost } from './statement-cost.ts'

/** What may take so long is not run where everybody waits for it, in milliseconds. */
export const expensive = 10
/** A read that took so long is taken for expensive for a while, whatever was expected; all in milliseconds. */
const slow = { taken: 50, for: 60_000 }
/** For how long the sizes of tables are taken for known, in milliseconds. */
const known = 1000
/** To count the rows of a table, SQLite reads nothing but the pages of its smallest index: so much of a visit to each. */
const countShare = 0.02

/** The estimate of a read whose cost is not estimated yet. */
const notEstimated: Estimate = { version: -1, fixed: 0, perRow: 0 }

/** Tells expensive reads from cheap ones, by what SQLite plans to do and how large its tables are. */
export class SqliteCosts {
  readonly #connection: SqliteConnection
  readonly #model: Model
  readonly #sizes = new Map<string, number>()
  #version = 0
  #checked = 0
  readonly #stream: (shape: ReadShape) => ReadCost

  constructor(connection: SqliteConnection, statements: SqliteStatements, model: Model) {
    this.#connection = connection
    this.#model = model
    this.#stream = memoizeByIdentity((shape) => {
      const { rows, count, includedRows } = statements.read(shape)
      return this.#costOf(shape, rows, count, includedRows)
    })
  }

  /** The cost of a read that holds all of its rows. */
  whole(compiled: WholeRead, shape: ReadShape): ReadCost {
    if (compiled.cost !== undefined) return compiled.cost
    const { read, owned, linkages, includedLinkages } = compiled
    const lookups = [...linkages, ...[...includedLinkages.values()].flat()]
    const more = [...owned, ...lookups].map((each) => each.statement)
    compiled.cost = this.#costOf(shape, read.firstBatch, read.count, more)
    return compiled.cost
  }

  /** The cost of a stream: of what keeps others waiting before its next batch. */
  stream({ shape }: ReadPlan): ReadCost {
    return this.#stream(shape)
  }

  /**
   * Learns from a read that was expected to be cheap. One that was slow by the clock is measured by its CPU time the next
   * time, because the machine may have been busy.
   * @param began - on the clock of `performance.now`
   * @param cpuBefore - the CPU time when it began, for a read that is suspect
   */
  learn(cost: ReadCost, began: number, cpuBefore: NodeJS.CpuUsage | undefined): void {
    const now = performance.now()
    if (cpuBefore === undefined) {
      if (now - began > slow.taken) cost.isSuspect = true
      return
    }
    const { user, system } = process.threadCpuUsage(cpuBefore)
    cost.isSuspect = false
    if ((user + system) / 1000 > slow.taken) cost.slowUntil = now + slow.for
  }

  /** How long a read is expected to take, in milliseconds. @param now - on the clock of `performance.now` */
  estimate(cost: ReadCost, { page }: ReadPlan, now: number): number {
    if (now - this.#checked > known) this.#forget(now)
    const { fixed, perRow } =
      cost.estimate.version === this.#version ? cost.estimate : this.#renew(cost)
    const reach = page === undefined ? 500 : page.number * page.size
    const expected = fixed + perRow * reach
    return now < cost.slowUntil ? Math.max(expected, slow.taken) : expected
  }

  #costOf(
    shape: ReadShape,
    rows: Statement,
    count: Statement,
    more: readonly Statement[],
  ): ReadCost {
    const costOf = (statement: Statement) =>
      compileCost(statement, this.#connection.plan(statement))
    const first = costOf(rows)
    const isAll = isWhole(shape, this.#model)
    const stops = isAll && !first.sorts
    const counts = shape.isPaged && !isAll ? [costOf(count)] : []
    return {
      fixed: [...(stops ? [] : [first]), ...counts, ...more.map(costOf)],
      page: stops ? first : undefined,
      counted: shape.isPaged && isAll ? costOf(count) : undefined,
      estimate: notEstimated,
      isSuspect: false,
      slowUntil: 0,
    }
  }

  #forget(now: number): void {
    this.#sizes.clear()
    this.#checked = now
    this.#version += 1
  }

  #renew(cost: ReadCost): Estimate {
    const sizeOf = (table: string) => this.#sizeOf(table)
    const total = cost.fixed.reduce((sum, each) => sum + each.milliseconds(sizeOf), 0)
    const counted = (cost.counted?.milliseconds(sizeOf) ?? 0) * countShare
    const page = cost.page
    const perRow = page ? page.milliseconds(() => 1) : 0
    cost.estimate = { version: this.#version, fixed: total + counted, perRow }
    return cost.estimate
  }

  #sizeOf(table: string): number {
    const size = this.#sizes.get(table) ?? this.#connection.estimateRows(table)
    this.#sizes.set(table, size)
    return size
  }
}

/** Whether a list is all of its table, so that its count reads no row. */
function isWhole({ scope, where, type }: ReadShape, model: Model): boolean {
  return scope.is === 'all' && where === undefined && model.types.get(type)?.scope === undefined
}
