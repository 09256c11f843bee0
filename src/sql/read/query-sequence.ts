import type { Row } from '../../plan/row-layout.ts'
import type { QueryRequest } from './stream.ts'

/**
 * A read as a generator: it yields each query and receives its rows. So one algorithm runs synchronously in this process and
 * asynchronously in another one.
 */
export type QuerySequence<Result> = Generator<QueryRequest, Result, readonly Row[]>

/** Runs the queries of a read synchronously. */
export function runSync<Result>(
  queries: QuerySequence<Result>,
  query: (request: QueryRequest) => readonly Row[],
): Result {
  let next = queries.next()
  while (!next.done) next = queries.next(query(next.value))
  return next.value
}

/** Runs the queries of a read asynchronously. */
export async function runAsync<Result>(
  queries: QuerySequence<Result>,
  query: (request: QueryRequest) => readonly Row[] | Promise<readonly Row[]>,
): Promise<Result> {
  let next = queries.next()
  while (!next.done) next = queries.next(await query(next.value))
  return next.value
}
