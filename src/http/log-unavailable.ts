import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ApiError } from '../errors/errors.ts'

/** How long a message that was logged is not logged again, in milliseconds. */
const interval = 1000
/** The most messages that are told apart at a time. */
const mostMessages = 100

/** How many more requests failed by the same message in the current interval. */
interface Recent {
  suppressed: number
}

/** The messages that were logged within the last interval, by application. */
const logged = new WeakMap<FastifyInstance, Map<string, Recent>>()

/**
 * Logs why a request was answered with 503, e.g. that the database cannot be reached: the first time each second for
 * each message, and at the end of that second how often it happened besides.
 *
 * @param error - its `cause` says what failed
 */
export function logUnavailable(error: ApiError, request: FastifyRequest): void {
  const { server, method, url } = request
  const recent = logged.get(server) ?? new Map<string, Recent>()
  logged.set(server, recent)
  const cause = error.cause instanceof Error ? error.cause : new Error(String(error.cause))
  // A message with an id in it differs each time.
  const message = recent.size < mostMessages ? cause.message : 'others'
  const known = recent.get(message)
  if (known !== undefined) {
    known.suppressed += 1
    return
  }
  recent.set(message, { suppressed: 0 })
  const { code, message: detail } = error
  server.log.error({ err: cause, code, detail, method, url }, 'a request could not be served')
  setTimeout(() => {
    const { suppressed = 0 } = recent.get(message) ?? {}
    recent.delete(message)
    if (suppressed > 0)
      server.log.error({ cause: message, code, suppressed }, 'more requests could not be served')
  }, interval).unref()
}
