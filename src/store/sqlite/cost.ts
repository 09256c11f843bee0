import type { Model } from '../../model/model.ts'
import { memoizeByIdentity } from '../../plan/cache/memoize-by-identity.ts'
import type { ReadPlan, ReadShape } from '../../plan/read.ts'
import type { Statement } from '../statement.ts'
import type { SqliteConnection } from './connection.ts'
import type { SqliteStatements } from './full-read.ts'
import { compileCost, type StatementCost } from './statement-cost.ts'

/** What may take so long is not run where everybody waits for it, in milliseconds. */
export const expensive = 10
/** A read that took so long is taken for expensive for a while, whatever was expected; all in milliseconds. */
const slow = { taken: 50, for: 60_000 }
/** For how long the sizes of tables are taken for known, in milliseconds. */
const known = 1000
/** To count the rows of a table, SQLite reads nothing but the pages of its smallest index: so much of a visit to each. */
const countShare = 0.02

/** What a read is expected to take. */
interface Estimate {
  /** Of which sizes of tables it is. */
  readonly version: number
  /** Whatever part of the list is asked for, in milliseconds. */
  readonly fixed: number
  /** For each row up to the end of the page, in milliseconds. */
  readonly perRow: number
}

/** The costs of all statements of a read. */
interface ReadCost {
  readonly fixed: readonly StatementCost[]
  /** The page, where SQLite reads it from the start of an index and stops at its end. */
  readonly page: StatementCost | undefined
  /** The rows that are counted and nothing else. */
  readonly counted: StatementCost | undefined
  estimate: Estimate | undefined
  /** Whether it was slow by the clock, which may have been the machine's doing: the next run is measured by its CPU time. */
  isSuspect: boolean
  /** Until when it is taken for expensive because it was slow, on the clock of `performance.now`. */
  slowUntil: number
}

/** Tells expensive reads from cheap ones, by what SQLite plans to do and how large its tables are. */
export class SqliteCosts {
  readonly #connection: SqliteConnection
  readonly #sizes = new Map<string, number>()
  #version = 0
  #checked = 0
  readonly #whole: (shape: ReadShape) => ReadCost
  readonly #stream: (shape: ReadShape) => ReadCost

  constructor(connection: SqliteConnection, statements: SqliteStatements, model: Model) {
    this.#connection = connection
    const costOf = (statement: Statement) => compileCost(statement, connection.plan(statement))
    const costOfRead = (shape: ReadShape, rows: Statement, count: Statement, more: Statement[]) => {
      const first = costOf(rows)
      const isAll = isWhole(shape, model)
      const stops = isAll && !first.sorts
      const counts = shape.isPaged && !isAll ? [costOf(count)] : []
      return {
        fixed: [...(stops ? [] : [first]), ...counts, ...more.map(costOf)],
        page: stops ? first : undefined,
        counted: shape.isPaged && isAll ? costOf(count) : undefined,
        estimate: undefined,
        isSuspect: false,
        slowUntil: 0,
      }
    }
    this.#whole = memoizeByIdentity((shape) => {
      const { read, owned, linkages, includedLinkages } = statements.whole(shape)
      const lookups = [...linkages, ...[...includedLinkages.values()].flat()]
      const more = [...owned.values(), ...lookups.map((each) => each.statement)]
      return costOfRead(shape, read.start, read.count, more)
    })
    this.#stream = memoizeByIdentity((shape) => {
      const { rows, count, additions } = statements.read(shape)
      return costOfRead(shape, rows, count, [...additions])
    })
  }

  /** How long a read that holds all of its rows is expected to take, in milliseconds. @param now - of `performance.now` */
  whole(plan: ReadPlan, now = performance.now()): number {
    return this.#estimate(this.#whole(plan.shape), plan, now)
  }

  /** How long a stream is expected to keep others waiting at most before its next batch, in milliseconds. */
  stream(plan: ReadPlan, now = performance.now()): number {
    return this.#estimate(this.#stream(plan.shape), plan, now)
  }

  /** Runs a read that is expected to be cheap, and learns when it is not. @param began - on the clock of `performance.now` */
  measured<Result>({ shape }: ReadPlan, began: number, run: () => Result): Result {
    const cost = this.#whole(shape)
    const before = cost.isSuspect ? process.threadCpuUsage() : undefined
    const result = run()
    const now = performance.now()
    if (before) {
      const { user, system } = process.threadCpuUsage(before)
      cost.isSuspect = false
      if ((user + system) / 1000 > slow.taken) cost.slowUntil = now + slow.for
    } else if (now - began > slow.taken) cost.isSuspect = true
    return result
  }

  #estimate(cost: ReadCost, { page }: ReadPlan, now: number): number {
    if (now - this.#checked > known) this.#forget(now)
    const estimate = cost.estimate
    const { fixed, perRow } = estimate?.version === this.#version ? estimate : this.#renew(cost)
    const reach = page === undefined ? 500 : page.number * page.size
    const expected = fixed + perRow * reach
    return now < cost.slowUntil ? Math.max(expected, slow.taken) : expected
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
