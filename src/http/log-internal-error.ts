import { toError } from '../errors/to-error.ts'
import type { Logger } from '../model/request-context.ts'
import { redactQuery } from './redact-query.ts'

/** The parts of a request that its log line has. */
interface LoggedRequest {
  readonly method: string
  /** The request target. */
  readonly url: string
  readonly log: Logger
}

/**
 * Logs an internal error with its message, stack and cause.
 * @returns the id that is in the log line and in the response
 */
export function logInternalError(error: unknown, { log, method, url }: LoggedRequest): string {
  const id = crypto.randomUUID()
  log.error({ err: toError(error), id, method, url: redactQuery(url) }, 'a request failed')
  return id
}
