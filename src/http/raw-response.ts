import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ApiError } from '../errors/errors.ts'
import { mediaType } from '../parse/negotiate.ts'
import { type ErrorAnswer, errorAnswer, internalErrorAnswer } from '../serialize/errors.ts'
import { everyAnswer } from './response.ts'

/** Milliseconds that a refused client has to read the response before its connection is destroyed. */
const lingering = 1000

/** An error as a response that can be sent without Fastify. */
export function errorResponse(error: ApiError): ErrorAnswer {
  // An ApiError is always reported to the client, so `errorAnswer` returns a response.
  return errorAnswer(error) ?? internalErrorAnswer(crypto.randomUUID())
}

/** Sends an error response to a request that does not reach Fastify. */
export function sendError(
  response: ServerResponse,
  { status, headers, body }: ErrorAnswer,
  closes = false,
): void {
  const fields = {
    'content-type': mediaType,
    ...everyAnswer,
    ...headers,
    'content-length': Buffer.byteLength(body),
  }
  response.writeHead(status, closes ? { ...fields, connection: 'close' } : fields).end(body)
}

/** The bytes of an error response for a connection on which there is no HTTP request to respond to. */
export function rawErrorResponse({ status, headers, body }: ErrorAnswer): string {
  const fields = {
    'content-type': mediaType,
    ...everyAnswer,
    ...headers,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} Refused`, ...lines, '', body].join('\r\n')
}

/**
 * Sends last bytes and closes the connection. A server that closes at once would reset the connection when the client
 * still sends, and the client would lose the response: it has a second to read it.
 */
export function closeWith(socket: Socket, bytes: string): void {
  const timer = setTimeout(() => socket.destroy(), lingering).unref()
  socket.once('close', () => clearTimeout(timer))
  socket.end(bytes)
}
