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
