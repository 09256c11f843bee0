import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import type { Connection, Connections, WaitingRequest } from './connections.ts'
import { getResponseInFlight } from './node-internals.ts'

/**
 * The most pipelined requests that wait on one connection. The server stops reading when the first one waits, but a
 * segment that has arrived can hold thousands of requests.
 */
const maxWaitingRequests = 100

/** Safe methods (RFC 9110 §9.2.1): they change nothing, so such a request may be interrupted. */
const safeMethods: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/**
 * Processes one request per connection at a time. A pipelined request waits until the response before it is sent. The
 * server reads nothing more from the connection meanwhile: a client that does not read its responses cannot make the
 * server produce more of them. It closes a connection with more than `maxWaitingRequests` waiting requests. As long as it
 * reads nothing, it notices that a client has disconnected only when it sends the next response.
 *
 * @param handle - begins to process a request
 * @returns the listener for Node's `request` event
 */
export function serveSequentially(
  connections: Connections,
  handle: RequestListener,
): RequestListener {
  return (request, response) => {
    // Node gives a response its socket when the responses before it are finished.
    if (response.socket !== null) return handle(request, response)
    const connection = connections.open.get(request.socket)
    if (connection !== undefined) wait(connection, { request, response, handle })
  }
}

function wait(connection: Connection, next: WaitingRequest): void {
  const { socket, waiting, isBroken } = connection
  if (isBroken || socket.destroyed) return
  if (waiting === undefined) {
    connection.waiting = [next]
    stopReading(socket)
    const earlier = getResponseInFlight(socket)
    if (earlier === undefined) beginNext(connection)
    else earlier.once('close', () => beginNext(connection))
  } else if (waiting.length < maxWaitingRequests) waiting.push(next)
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

/** Closes a connection, after the response to a request that is not safe: the client learns the result of its write. */
function closeForExcess(connection: Connection): void {
  const { socket } = connection
  const response = getResponseInFlight(socket)
  connection.isBroken = true
  if (response === undefined || safeMethods.has(response.req.method)) socket.destroy()
  else response.prependOnceListener('close', () => socket.destroy())
}

/** Pauses a socket until `resumeReading`. Node resumes a socket by itself, e.g. when a message is complete. */
function stopReading(socket: Socket): void {
  socket.on('resume', pauseAgain)
  socket.pause()
}

/** Resumes a socket, unless another caller of `stopReading` still keeps it paused. */
function resumeReading(socket: Socket): void {
  socket.off('resume', pauseAgain)
  socket.resume()
}

function pauseAgain(this: Socket): void {
  this.pause()
}
