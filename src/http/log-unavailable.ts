import type { ApiError } from '../errors/errors.ts'
import type { Logger } from '../model/request-context.ts'
import { redactQuery } from './redact-query.ts'

/** How long an equal message is not logged again, in milliseconds. */
const interval = 1000
/** The most messages that are counted separately at a time. */
const maxMessages = 100

/** How many more requests failed with the same message in the current interval. */
interface Recent {
  suppressed: number
}

/**
 * Creates the logger of 503 responses, e.g. when the database cannot be reached. It logs each message once a second, and
 * at the end of that second how many more requests failed with it.
 *
 * @returns a function that logs an error with its `cause`
 */
export function createUnavailableLogger(
  log: Logger,
): (error: ApiError, request: Readonly<{ method: string; target: string }>) => void {
  /** The messages that were logged within the last interval. */
  const recent = new Map<string, Recent>()
  return (error, { method, target }) => {
    const cause = error.cause instanceof Error ? error.cause : new Error(String(error.cause))
    // Messages with an id in them all differ; beyond the limit they share one count.
    const message = recent.size < maxMessages ? cause.message : 'others'
    const known = recent.get(message)
    if (known !== undefined) {
      known.suppressed += 1
      return
    }
    recent.set(message, { suppressed: 0 })
    const { code, message: detail } = error
    const request = { method, url: redactQuery(target) }
    log.error({ err: cause, code, detail, ...request }, 'a request could not be served')
    setTimeout(() => {
      const { suppressed = 0 } = recent.get(message) ?? {}
      recent.delete(message)
      if (suppressed > 0)
        log.error({ cause: message, code, suppressed }, 'more requests could not be served')
    }, interval).unref()
  }
}
