import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import type { Connection, Connections, WaitingRequest } from './connections.ts'
import { responseInFlight } from './node-internals.ts'

/**
 * Pipelined requests that may wait on one connection. The server stops reading when the first one waits, but a segment
 * that has arrived can hold thousands of requests.
 */
export const mostWaiting = 100

/** Methods that change nothing (RFC 9110 §9.2.1): such a request may be interrupted. */
const safeMethods: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/**
 * Processes one request per connection at a time. A pipelined request waits until the response before it is sent, and
 * the server reads nothing more from the connection meanwhile: a client that does not read its responses cannot make
 * the server produce more of them. A connection with more than `mostWaiting` waiting requests is closed. As long as it
 * reads nothing, the server does not notice that the client disconnects before it sends the next response.
 *
 * @param handle - begins to process a request
 */
export function oneAtATime(connections: Connections, handle: RequestListener): RequestListener {
  return (request, response) => {
    // Node gives a response its socket when the responses before it are finished.
    if (response.socket !== null) return handle(request, response)
    const connection = connections.of(request.socket)
    if (connection !== undefined) wait(connection, { request, response, handle })
  }
}

function wait(connection: Connection, next: WaitingRequest): void {
  const { socket, waiting, isBroken } = connection
  if (isBroken || socket.destroyed) return
  if (waiting === undefined) {
    connection.waiting = [next]
    stopReading(socket)
    const earlier = responseInFlight(socket)
    if (earlier === undefined) beginNext(connection)
    else earlier.once('close', () => beginNext(connection))
  } else if (waiting.length < mostWaiting) waiting.push(next)
  else closeForExcess(connection)
}

function beginNext(connection: Connection): void {
  const { socket, waiting } = connection
  if (socket.destroyed) return
  const next = waiting?.shift()
  if (waiting === undefined || waiting.length === 0) {
    connection.waiting = undefined
    resumeReading(socket)
  } else next?.response.once('close', () => beginNext(connection))
  next?.handle(next.request, next.response)
}

/** A write under way is not interrupted: its client learns of it before the connection is closed. */
function closeForExcess(connection: Connection): void {
  const { socket } = connection
  const response = responseInFlight(socket)
  connection.isBroken = true
  if (response === undefined || safeMethods.has(response.req.method)) socket.destroy()
  else response.prependOnceListener('close', () => socket.destroy())
}

/** Node resumes a socket on its own when a message is complete: it is paused again until `resumeReading`. */
function stopReading(socket: Socket): void {
  socket.on('resume', pauseAgain)
  socket.pause()
}

function resumeReading(socket: Socket): void {
  socket.off('resume', pauseAgain)
  socket.resume()
}

function pauseAgain(this: Socket): void {
  this.pause()
}
