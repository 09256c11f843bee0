import type { IncomingMessage } from 'node:http'

/** A request id that a client or a proxy may send: short, and without characters that need quoting in a log. */
const idPattern = /^[\w.:/+=@-]{1,128}$/
/** The header field `traceparent` (https://www.w3.org/TR/trace-context/#traceparent-header), with the trace id in a group. */
const traceparentPattern = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/

/**
 * Finds the id that a client or a proxy has given a request: the header field `x-request-id`, or the trace id in `traceparent`.
 * It ignores malformed header fields.
 *
 * @param id - the header field `x-request-id`
 * @returns `undefined` if the request has none
 */
export function findRequestId(id: unknown, traceparent: unknown): string | undefined {
  if (typeof id === 'string' && idPattern.test(id)) return id
  return typeof traceparent === 'string' ? traceparentPattern.exec(traceparent)?.[1] : undefined
}

/**
 * Creates the generator of the request ids in the log of a server: the header field `x-request-id` of the request, or the
 * trace id in `traceparent`, or a number of its own. It ignores malformed header fields.
 */
export function createRequestIdGenerator(): (request: Pick<IncomingMessage, 'headers'>) => string {
  let last = 0
  return ({ headers }) => {
    const id = findRequestId(headers['x-request-id'], headers.traceparent)
    if (id !== undefined) return id
    last = (last + 1) % Number.MAX_SAFE_INTEGER
    return `req-${last.toString(36)}`
  }
}
