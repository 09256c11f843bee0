import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** How long a connection that has sent nothing yet may take to begin once the server closes, in milliseconds. */
const silence = 500

/**
 * Has `close` wait for requests alone. Node closes the connections that are idle when it begins, once: one that is
 * answering would stay for its keep-alive time, and one that has never sent a byte until somebody ends it.
 */
export function addDrain(app: FastifyInstance): void {
  const { server } = app
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('preClose', (done) => {
    // What Node reads at the end of each answer; 0 would be no limit.
    server.keepAliveTimeout = 1
    server.keepAliveTimeoutBuffer = 0
    const timer = setTimeout(() => {
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    }, silence).unref()
    server.once('close', () => clearTimeout(timer))
    done()
  })
}
