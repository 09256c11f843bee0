import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** How long a connection that has sent nothing yet may take to begin once the server closes, in milliseconds. */
const silence = 500
/** How long the server may go on to accept connections that waited when it was closed, in milliseconds. */
const accepting = 100
/** Turns of the event loop without a new connection after which none waits: one turn may end before it looks. */
const quietTurns = 3

/**
 * Has `close` finish every request that has reached the server, and wait for nothing else. Node by itself
 *
 * - resets connections that wait to be accepted, though their requests may have been sent;
 * - takes a connection for idle once its response is written, and cuts off what the client has yet to read of it;
 * - closes the idle connections of this moment only: one that is answering would stay for its keep-alive time, and one
 *   that has never sent a byte until its client ends it.
 */
export function addDrain(app: FastifyInstance): void {
  const { server } = app
  const sockets = new Set<Socket>()
  let accepted = 0
  server.on('connection', (socket: Socket) => {
    accepted += 1
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => afterSending(sockets, closeIdle)
  app.addHook('preClose', async () => {
    // What Node reads at the end of each answer; 0 would be no limit.
    server.keepAliveTimeout = 1
    server.keepAliveTimeoutBuffer = 0
    const timer = setTimeout(() => {
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    }, silence).unref()
    server.once('close', () => clearTimeout(timer))
    const deadline = performance.now() + accepting
    for (let quiet = 0; quiet < quietTurns && performance.now() < deadline; quiet += 1) {
      const before = accepted
      await nextTurn()
      if (accepted > before) quiet = 0
    }
  })
}

/** Runs what destroys sockets; those that still have something to send are closed when it is sent. */
function afterSending(sockets: ReadonlySet<Socket>, work: () => void): void {
  const sending = [...sockets].filter(({ writableLength }) => writableLength > 0)
  for (const socket of sending) {
    socket.destroy = () => {
      socket.destroySoon()
      return socket
    }
  }
  work()
  for (const socket of sending) Reflect.deleteProperty(socket, 'destroy')
}
