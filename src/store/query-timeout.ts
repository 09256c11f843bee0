import { HeaderError } from '../errors/errors.ts'

/**
 * What a request is answered whose read was stopped at its deadline; to send it again would not help.
 * @param timeout - how long the read may take, in milliseconds
 */
export function queryTimeoutError(timeout: number, cause?: unknown): HeaderError {
  const advice = 'narrow the filter, sort by an indexed attribute, or include less'
  const detail = `The read was stopped after ${timeout} ms; ${advice}.`
  return new HeaderError('query_timeout', detail, {}, { cause })
}
