import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { createUnknownMethod } from '../methods.ts'
import type { Connection, Connections } from './connections.ts'
import { getResponseInFlight, getUnfinishedRequest } from './node-internals.ts'
import { isRejectedHead, type ProtocolError, toProtocolErrorResponse } from './protocol-errors.ts'
import { closeWith, formatErrorResponse, toErrorResponse } from './raw-response.ts'

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
      : () => close(formatRejection(error, unfinished?.method))
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
  const rejection = formatErrorResponse(toErrorResponse(createUnknownMethod('CONNECT')))
  return ({ socket }) => {
    // Node handles no errors of this connection any more, and reads nothing from it.
    socket.on('error', () => {}).resume()
    const connection = connections.open.get(socket)
    if (connection === undefined || connection.isBroken) return void socket.destroy()
    connection.isBroken = true
    const last = connection.waiting?.at(-1)?.response ?? getResponseInFlight(socket)
    if (last === undefined) closeWith(socket, rejection)
    else last.once('close', () => closeWith(socket, rejection))
  }
}

/** Formats the response to what the parser rejects. @param method - that of a request whose head it has accepted */
function formatRejection(error: ProtocolError, method: string | undefined): string {
  const isHead = method === 'HEAD' || isRejectedHead(error)
  return formatErrorResponse(toProtocolErrorResponse(error), isHead)
}

/** Drops a waiting request whose body is malformed: the handler would never reach the end of its body. */
function dropWaiting({ waiting }: Connection, unfinished: IncomingMessage): void {
  if (waiting?.at(-1)?.request === unfinished) waiting.pop()
}
