import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Connection, Connections } from './connections.ts'
import { protocolFault } from './errors.ts'
import { responseInFlight, unfinishedRequest } from './node-internals.ts'
import { closeWith, rawErrorResponse } from './raw-response.ts'

/**
 * Makes the handler of Node's `clientError`: bytes that are not HTTP, or that do not arrive in time. The error response
 * is the last one of its connection. It is sent after the responses to all requests before the bytes, never into one.
 */
export function clientErrorHandler(
  connections: Connections,
): (error: Readonly<{ code?: string }>, socket: Socket) => void {
  return ({ code }, socket) => {
    const connection = connections.of(socket)
    if (connection?.isBroken) return
    if (connection === undefined || !socket.writable) return void socket.destroy()
    connection.isBroken = true
    const close = (bytes: string) => {
      if (socket.writable) closeWith(socket, bytes)
    }
    const refuse = () => close(rawErrorResponse(protocolFault(code)))
    const broken = unfinishedRequest(socket)
    if (broken !== undefined) dropWaiting(connection, broken)
    const last = connection.waiting?.at(-1)?.response ?? responseInFlight(socket)
    const isInBody = broken !== undefined && (last === undefined || last.req === broken)
    // A request has one response: this one, unless another has begun.
    const isAnswered = isInBody && last?.headersSent !== false
    const finish = isAnswered ? () => close('') : refuse
    if (last === undefined || (isInBody && !isAnswered)) finish()
    else last.once('close', finish)
  }
}

/** A waiting request whose body is broken is not begun: its body would never end. */
function dropWaiting({ waiting }: Connection, broken: IncomingMessage): void {
  if (waiting?.at(-1)?.request === broken) waiting.pop()
}
