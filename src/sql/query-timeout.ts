import { HeaderError } from '../errors/errors.ts'

/**
 * The error of a read that was cancelled at its deadline. It has no `retry-after`: the same request would fail again.
 * @param timeout - how long a read may take, in milliseconds
 */
export function queryTimeoutError(timeout: number, cause?: unknown): HeaderError {
  const advice = 'narrow the filter, sort by an indexed attribute, or include less'
  const detail = `The read was stopped after ${timeout} ms; ${advice}.`
  return new HeaderError('query_timeout', detail, {}, { cause })
}
