import type { IncomingMessage } from 'node:http'
import { findRequestId } from '../../request-id.ts'

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
