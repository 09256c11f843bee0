import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Connection, Connections } from './connections.ts'
import { getResponseInFlight, getUnfinishedRequest } from './node-internals.ts'
import { toProtocolErrorResponse } from './protocol-errors.ts'
import { closeWith, formatErrorResponse } from './raw-response.ts'

/**
 * Creates the handler of Node's `clientError` event: bytes that are not HTTP, or a request that does not arrive in time.
 * The error response is the last one of its connection. The server sends it after the responses to all earlier requests,
 * and never into one of them.
 */
export function createClientErrorHandler(
  connections: Connections,
): (error: Readonly<{ code?: string }>, socket: Socket) => void {
  return ({ code }, socket) => {
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
      : () => close(formatErrorResponse(toProtocolErrorResponse(code)))
    if (last === undefined || (isInBody && !hasResponse)) finish()
    else last.once('close', finish)
  }
}

/** Drops a waiting request whose body is malformed: the handler would never reach the end of its body. */
function dropWaiting({ waiting }: Connection, unfinished: IncomingMessage): void {
  if (waiting?.at(-1)?.request === unfinished) waiting.pop()
}
