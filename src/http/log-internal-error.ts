import { toError } from '../errors/to-error.ts'
import { redactQuery } from './redact-query.ts'
import type { HttpRequest } from './request.ts'

/**
 * Logs an internal error with its message, stack and cause.
 * @returns the id that is in the log line and in the response
 */
export function logInternalError(error: unknown, { log, method, target }: HttpRequest): string {
  const id = crypto.randomUUID()
  log.error({ err: toError(error), id, method, url: redactQuery(target) }, 'a request failed')
  return id
}
