import type { Socket } from 'node:net'
import { setImmediate as nextIteration } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { getConnectionEvent } from '../../bounds/connections.ts'

/** How long a connection may stay silent once the server closes, in milliseconds. */
const silenceTimeout = 500
/** How long a closing server accepts connections from the backlog, in milliseconds. */
const acceptTimeout = 100
/** Iterations of the event loop without a new connection that show an empty backlog; one may end before the poll. */
const quietIterations = 3

/**
 * Makes `close` finish every request that has reached the server, and wait for nothing else. Node's own `close`
 *
 * - resets the connections in the backlog, though their requests may have been sent;
 * - treats a connection as idle once its response is written, and cuts off the part that the client has not read yet;
 * - closes only the connections that are idle at that time: a busy one stays open for its keep-alive time, and one that
 *   has never sent a byte stays open until the client closes it.
 */
export function addDrain(app: FastifyInstance): void {
  const { server } = app
  const sockets = new Set<Socket>()
  let accepted = 0
  // With TLS, a connection has a second socket after the handshake.
  for (const event of new Set(['connection', getConnectionEvent(server)]))
    server.on(event, (socket: Socket) => {
      accepted += 1
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    })
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => destroyAfterSending(sockets, closeIdle)
  app.addHook('preClose', async () => {
    // Node applies these at the end of each response; 0 would mean no limit.
    server.keepAliveTimeout = 1
    server.keepAliveTimeoutBuffer = 0
    const timer = setTimeout(() => {
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    }, silenceTimeout).unref()
    server.once('close', () => clearTimeout(timer))
    const deadline = performance.now() + acceptTimeout
    for (let quiet = 0; quiet < quietIterations && performance.now() < deadline; quiet += 1) {
      const before = accepted
      await nextIteration()
      if (accepted > before) quiet = 0
    }
  })
}

/** Runs a function that destroys sockets; a socket with unsent data is destroyed once it has sent it. */
function destroyAfterSending(sockets: ReadonlySet<Socket>, destroySockets: () => void): void {
  const sending = [...sockets].filter(({ writableLength }) => writableLength > 0)
  for (const socket of sending) {
    socket.destroy = () => {
      socket.destroySoon()
      return socket
    }
  }
  destroySockets()
  for (const socket of sending) Reflect.deleteProperty(socket, 'destroy')
}
