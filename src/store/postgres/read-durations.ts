import type { Statement } from '../statement.ts'
import type { PostgresQuery } from './pipeline.ts'

/** The weight of the latest run in the expected duration. */
const weight = 0.25
/** The rows that an offset skips at no noticeable cost. Larger offsets are told apart by powers of two. */
const smallOffset = 1024

/** A query whose duration is expected from its earlier runs. */
export type ExpectedQuery = Pick<PostgresQuery, 'statement' | 'values'>

/** The expected durations of reads: means of the runs of their statements, in which the latest ones count most. */
export class ReadDurations {
  /** In milliseconds, by the class of the offset. */
  readonly #means = new WeakMap<Statement, (number | undefined)[]>()

  /** Returns how long a query is expected to run, in milliseconds; `undefined` if it is unknown. */
  expect({ statement, values }: ExpectedQuery): number | undefined {
    return this.#means.get(statement)?.[classOfOffset(values.offset)]
  }

  /** Records how long a query ran. @param start - when it was sent, on the clock of `performance.now` */
  record({ statement, values }: ExpectedQuery, start: number): void {
    const duration = performance.now() - start
    const means = this.#means.get(statement) ?? []
    const index = classOfOffset(values.offset)
    const mean = means[index]
    means[index] = mean === undefined ? duration : mean + weight * (duration - mean)
    this.#means.set(statement, means)
  }
}

/** Returns the class of an offset: the runs of a statement with offsets of one class take about as long. */
function classOfOffset(offset = 0): number {
  return offset < smallOffset ? 0 : Math.ceil(Math.log2(offset / smallOffset + 1))
}
