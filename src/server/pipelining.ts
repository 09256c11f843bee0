import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Connection, Connections } from './connections.ts'

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
    const connection = connections.of(request.socket)
    // The connection is closed already.
    if (connection === undefined) return
    if (connection.waiting !== undefined || isUnfinished(connection.response))
      wait(connection, request, response, handle)
    else {
      connection.response = response
      handle(request, response)
    }
  }
}

/** Whether a response is still being made or sent. */
export function isUnfinished(response: ServerResponse | undefined): response is ServerResponse {
  return response !== undefined && !response.writableFinished
}

/** The response that the connection sends last, as far as its requests are known. */
export function lastResponse({ response, waiting }: Connection): ServerResponse | undefined {
  return waiting?.at(-1)?.response ?? response
}

function wait(
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
  handle: RequestListener,
): void {
  const { socket, waiting, isBroken } = connection
  if (isBroken || socket.destroyed) return
  if (waiting === undefined) {
    connection.waiting = [{ request, response, handle }]
    stopReading(socket)
    connection.response?.once('close', () => beginNext(connection))
  } else if (waiting.length < mostWaiting) waiting.push({ request, response, handle })
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
  if (next === undefined) return
  connection.response = next.response
  next.handle(next.request, next.response)
}

/** A write under way is not interrupted: its client learns of it before the connection is closed. */
function closeForExcess(connection: Connection): void {
  const { socket, response } = connection
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
