import type { RunValues, Statement } from '../statement.ts'

/** A read that is expected to take at least this long is a long one, in milliseconds. */
const longDuration = 100
/** A statement of which nothing is known is complex if its SQL has at least this many characters. */
const complexLength = 4000
/** The weight of the latest run in the expected duration if it took longer than expected. */
const weightOfLonger = 0.25
/** The same if it took less time: on a busy server every run takes long now and then. */
const weightOfShorter = 0.5
/** A read should start before it has waited this many times as long as it is expected to take. */
const waitFactor = 10
/** Reads that are expected to take less than this start in the order of arrival, in milliseconds: their means vary by as much. */
const minOrderedDuration = 20
/** How long a statement of which nothing is known is supposed to take, in milliseconds for each character of its SQL. */
const durationPerCharacter = 0.1
/** The rows that an offset skips at no noticeable cost. Larger offsets are told apart by powers of two. */
const smallOffset = 1024

/** A query whose duration is expected from its earlier runs. */
export interface ExpectedQuery {
  readonly statement: Statement
  readonly values: RunValues
}

/**
 * What is known of the duration of a read: it is quick; nothing is known; or it is long, or may be long, because its statement is
 * complex and has not run yet.
 */
type ReadClass = 'quick' | 'slow' | 'long'

/** The expected durations of reads: means of the runs of their statements, in which the latest ones count most. */
export class ReadDurations {
  /** In milliseconds, by the class of the offset. */
  readonly #means = new WeakMap<Statement, (number | undefined)[]>()

  /** Returns how long a query is expected to run, in milliseconds; `undefined` if it is unknown. */
  expect({ statement, values }: ExpectedQuery): number | undefined {
    return this.#means.get(statement)?.[classOfOffset(values.offset)]
  }

  /** Returns the class of a query by its expected duration. */
  classOf(query: ExpectedQuery): ReadClass {
    const expected = this.expect(query)
    if (expected !== undefined) return expected < longDuration ? 'quick' : 'long'
    return query.statement.sql.length < complexLength ? 'slow' : 'long'
  }

  /**
   * Returns when a query should start that arrives now, on the clock of `performance.now`. While nothing is known of it, it is
   * supposed to take the longer the longer its SQL is.
   */
  startTime(query: ExpectedQuery): number {
    const expected = this.expect(query) ?? supposeDuration(query.statement)
    return performance.now() + (expected < minOrderedDuration ? 0 : waitFactor * expected)
  }

  /**
   * Records how long a query ran. A run that failed counts if it took longer than expected: a complete one takes at least as long.
   * @param duration - in milliseconds
   */
  record({ statement, values }: ExpectedQuery, duration: number, isComplete: boolean): void {
    let means = this.#means.get(statement)
    if (means === undefined) {
      means = []
      this.#means.set(statement, means)
    }
    const index = classOfOffset(values.offset)
    const mean = means[index]
    const isLonger = duration > (mean ?? supposeDuration(statement))
    if (!isComplete && !isLonger) return
    const weight = isLonger ? weightOfLonger : weightOfShorter
    means[index] = mean === undefined ? duration : mean + weight * (duration - mean)
  }
}

/** Returns how long a statement of which nothing is known is supposed to take, in milliseconds. */
function supposeDuration({ sql }: Statement): number {
  return sql.length * durationPerCharacter
}

/** Returns the class of an offset: the runs of a statement with offsets of one class take about as long. */
function classOfOffset(offset = 0): number {
  return offset < smallOffset ? 0 : Math.ceil(Math.log2(offset / smallOffset + 1))
}
