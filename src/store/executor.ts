import type { Row } from '../plan/row-layout.ts'
import type { RunValues, Statement } from './statement.ts'

/** A statement that a read needs, and the values of the run. */
export interface QueryRequest {
  readonly statement: Statement
  readonly values: RunValues
  /** Whether it counts, so that an executor may know the result already. */
  readonly isCount?: boolean
}

/**
 * A read as a list of steps: it yields each statement that it needs and gets the rows back. One algorithm serves an
 * executor that has the rows at once and one that waits for another process.
 */
export type QuerySequence<Result> = Generator<QueryRequest, Result, readonly Row[]>

/** Runs the steps of a read with rows that are there at once. */
export function runSync<Result>(
  steps: QuerySequence<Result>,
  query: (request: QueryRequest) => readonly Row[],
): Result {
  let step = steps.next()
  while (!step.done) step = steps.next(query(step.value))
  return step.value
}

/** Runs the steps of a read with rows that have to be waited for. */
export async function runAsync<Result>(
  steps: QuerySequence<Result>,
  query: (request: QueryRequest) => readonly Row[] | Promise<readonly Row[]>,
): Promise<Result> {
  let step = steps.next()
  while (!step.done) step = steps.next(await query(step.value))
  return step.value
}
