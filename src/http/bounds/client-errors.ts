import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { HttpError } from '../../errors/errors.ts'
import { createUnknownMethod, isKnownMethod } from '../methods.ts'
import type { Connection, Connections } from './connections.ts'
import { getResponseInFlight, getUnfinishedRequest } from './node-internals.ts'
import {
  closeWith,
  type ErrorDocuments,
  formatErrorResponse,
  publishRejection,
  toErrorResponse,
} from './raw-response.ts'
import { createHeadersTooLarge } from './request-head.ts'

/**
 * Creates the handler of Node's `clientError` event: bytes that are not HTTP, or a request that does not arrive in time.
 * The error response is the last one of its connection. The server sends it after the responses to all earlier requests,
 * and never into one of them.
 */
export function createClientErrorHandler(
  connections: Connections,
): (error: ProtocolError, socket: Socket) => void {
  return (error, socket) => {
    const connection = connections.open.get(socket)
    if (connection?.isBroken) return
    if (connection === undefined || !socket.writable) return void socket.destroy()
    connection.isBroken = true
    const close = (bytes: string) => {
      if (socket.writable) closeWith(socket, bytes)
    }
    const unfinished = getUnfinishedRequest(socket)
    if (unfinished !== undefined) dropWaiting(connection, unfinished)
    const last = connection.waiting?.at(-1)?.response ?? getResponseInFlight(socket)
    const isInBody = unfinished !== undefined && (last === undefined || last.req === unfinished)
    // A request has one response: this one, unless another has begun.
    const hasResponse = isInBody && last?.headersSent !== false
    const finish = hasResponse
      ? () => close('')
      : () => close(formatRejection(error, connections.documents, unfinished?.method))
    if (last === undefined || (isInBody && !hasResponse)) finish()
    else last.once('close', finish)
  }
}

/**
 * Creates the listener for Node's `connect` event: CONNECT asks a proxy for a tunnel (RFC 9110 §9.3.6). The server rejects it after the
 * responses to all earlier requests.
 */
export function createTunnelRejection(
  connections: Connections,
): (request: IncomingMessage) => void {
  const rejection = toErrorResponse(createUnknownMethod('CONNECT'), connections.documents)
  const bytes = formatErrorResponse(rejection)
  return ({ socket }) => {
    publishRejection(rejection)
    // Node handles no errors of this connection any more, and reads nothing from it.
    socket.on('error', () => {}).resume()
    const connection = connections.open.get(socket)
    if (connection === undefined || connection.isBroken) return void socket.destroy()
    connection.isBroken = true
    const last = connection.waiting?.at(-1)?.response ?? getResponseInFlight(socket)
    if (last === undefined) closeWith(socket, bytes)
    else last.once('close', () => closeWith(socket, bytes))
  }
}

/** Formats the response to what the parser rejects. @param method - that of a request whose head it has accepted */
function formatRejection(
  error: ProtocolError,
  documents: ErrorDocuments,
  method: string | undefined,
): string {
  const isHead = method === 'HEAD' || isRejectedHead(error)
  const rejection = toErrorResponse(toProtocolError(error), documents)
  publishRejection(rejection)
  return formatErrorResponse(rejection, isHead)
}

/** Drops a waiting request whose body is malformed: the handler would never reach the end of its body. */
function dropWaiting({ waiting }: Connection, unfinished: IncomingMessage): void {
  if (waiting?.at(-1)?.request === unfinished) waiting.pop()
}

/** An error of Node's HTTP parser, or of the time in which a request must arrive. */
interface ProtocolError {
  readonly code?: string
  /** The bytes that were parsed last, a `Buffer`; absent for a request that did not arrive in time. */
  readonly rawPacket?: unknown
  /** The position of the error in them. */
  readonly bytesParsed?: number
}

/** Returns the error of bytes that Node's HTTP parser rejects. */
function toProtocolError(error: ProtocolError): HttpError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return createHeadersTooLarge()
    case 'ERR_HTTP_REQUEST_TIMEOUT': {
      const detail = 'The request did not arrive in time.'
      return new HttpError('request_timeout', detail)
    }
    default: {
      const [, method] = requestLine.exec(findRequestLine(error)) ?? []
      if (method !== undefined && !isKnownMethod(method)) return createUnknownMethod(method)
      const detail = 'The bytes received are not a valid HTTP request.'
      return new HttpError('invalid_request', detail)
    }
  }
}

/** A request line of HTTP/1, which begins with its method. */
const requestLine = /^([\w!#$%&'*+.^`|~-]+) [!-\xff]+ HTTP\/1\.[01]$/

/** Whether the parser rejects a request with the method HEAD, as far as its last bytes tell. */
function isRejectedHead(error: ProtocolError): boolean {
  return findRequestLine(error).startsWith('HEAD ')
}

/** Finds the request line of a head that the parser rejects; it is none if the last bytes begin in the middle of the head. */
function findRequestLine({ rawPacket, bytesParsed = 0 }: ProtocolError): string {
  if (!Buffer.isBuffer(rawPacket)) return ''
  const before = rawPacket.lastIndexOf('\r\n\r\n', bytesParsed)
  const start = before === -1 ? 0 : before + 4
  const end = rawPacket.indexOf('\r\n', start)
  return rawPacket.toString('latin1', start, end === -1 ? rawPacket.length : end)
}
