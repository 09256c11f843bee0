import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ApiError } from '../../errors/errors.ts'
import type { Model } from '../../model/model.ts'
import { rejected } from '../../observe/events.ts'
import {
  type ErrorResponse,
  serializeErrors,
  serializeInternalError,
} from '../../serialize/errors.ts'
import { documentHeaders } from '../headers.ts'

/** Milliseconds that a rejected client has to read the response before the server destroys the connection. */
const lingerTime = 1000

/** What the errors of a server are like that no application reports. */
export type ErrorDocuments = Pick<Model, 'jsonapi' | 'errorTypes'>

/** An error response that is sent without Fastify. */
export interface Rejection extends ErrorResponse {
  readonly code: string
}

/**
 * Converts an error to a response that is sent without Fastify.
 */
export function toErrorResponse(
  error: ApiError,
  { jsonapi, errorTypes }: ErrorDocuments,
): Rejection {
  // `serializeErrors` returns a response for every ApiError.
  const response =
    serializeErrors(error, jsonapi, errorTypes) ??
    serializeInternalError(crypto.randomUUID(), jsonapi, errorTypes)
  return { ...response, code: error.code }
}

/** Publishes that a request is rejected before the dispatcher gets it. */
export function publishRejection({ code }: Rejection): void {
  if (rejected.hasSubscribers) rejected.publish({ code })
}

/** Sends an error response to a request that does not reach Fastify. */
export function sendError(
  response: ServerResponse,
  error: Rejection,
  closesConnection = false,
): void {
  publishRejection(error)
  response.writeHead(error.status, responseHeaders(error, closesConnection)).end(error.body)
}

/**
 * Formats an error response for a connection without an HTTP request.
 * @param isHead - true for the response to HEAD, which has no body (RFC 9110 §9.3.2)
 */
export function formatErrorResponse(error: ErrorResponse, isHead = false): string {
  // An `import` of `node:http` would load its client as well.
  const reason = process.getBuiltinModule('node:http').STATUS_CODES[error.status]
  const fields = Object.entries(responseHeaders(error, true))
  const lines = fields.map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${error.status} ${reason}`, ...lines, '', isHead ? '' : error.body].join('\r\n')
}

function responseHeaders(
  { headers, body }: ErrorResponse,
  closesConnection: boolean,
): Record<string, string | number> {
  return {
    ...documentHeaders,
    ...headers,
    'content-length': Buffer.byteLength(body),
    ...(closesConnection && { connection: 'close' }),
  }
}

/**
 * Sends the last bytes of a connection and closes it. To close at once would reset the connection while the client still
 * sends, and the client would lose the response: it has a second to read it.
 */
export function closeWith(socket: Socket, bytes: string): void {
  const timer = setTimeout(() => socket.destroy(), lingerTime).unref()
  socket.once('close', () => clearTimeout(timer))
  socket.end(bytes)
}
