import type { Socket } from 'node:net'
import type { Connection, Connections } from './connections.ts'
import { protocolFault } from './faults.ts'
import { isUnfinished, lastResponse } from './pipelining.ts'
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
    dropBrokenRequest(connection)
    const last = lastResponse(connection)
    if (last === undefined) refuse()
    else if (last.req.complete) whenSent(last, refuse)
    // The bytes are in the body of the last request, which has one response: this one, unless another has begun.
    else if (last.headersSent) whenSent(last, () => close(''))
    else refuse()
  }
}

function whenSent(response: NonNullable<Connection['response']>, then: () => void): void {
  if (isUnfinished(response)) response.once('close', then)
  else then()
}

/** A waiting request whose body is broken is not begun: its body would never end. */
function dropBrokenRequest({ waiting }: Connection): void {
  if (waiting?.at(-1)?.request.complete === false) waiting.pop()
}
