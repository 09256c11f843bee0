import { lookup } from 'node:dns/promises'
import { createServer, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Makes a server that listens on `localhost` listen on all addresses of that name, 127.0.0.1 and ::1, as Fastify does
 * for a server that it creates itself. One HTTP server serves all of them: the others pass their connections on to it.
 */
export function listenOnAllOfLocalhost(app: FastifyInstance): void {
  const { server } = app
  const others: Server[] = []
  app.listen = new Proxy(app.listen, {
    apply: (listen, self, args) => {
      const bound = isLocalhost(args[0]) ? whenBound(app, others) : undefined
      const listening: unknown = Reflect.apply(listen, self, args)
      if (bound === undefined || !(listening instanceof Promise)) return listening
      return listening.then((address: string) => bound.then(() => address))
    },
  })
  const closed: Promise<unknown>[] = []
  app.addHook('preClose', async () => {
    for (const other of others) closed.push(new Promise((resolve) => other.close(resolve)))
    server.closeIdleConnections()
  })
  app.addHook('onClose', async () => {
    await Promise.all(closed)
  })
}

/** Fastify listens on `localhost` by default. */
function isLocalhost(options: unknown): boolean {
  if (typeof options !== 'object' || options === null) return true
  const host = 'host' in options ? options.host : undefined
  const hasPath = 'path' in options && options.path !== undefined
  return host === 'localhost' || (!hasPath && (host === undefined || host === null))
}

/** Resolves once the other addresses are bound; never when the server itself does not listen. */
function whenBound({ server }: FastifyInstance, others: Server[]): Promise<void> {
  return new Promise((resolve) => {
    server.once('listening', () => resolve(bindOthers(server, others)))
  })
}

async function bindOthers(server: FastifyInstance['server'], others: Server[]): Promise<void> {
  const bound = server.address()
  if (bound === null || typeof bound === 'string') return
  const addresses = await lookup('localhost', { all: true }).catch(() => [])
  for (const { address } of addresses) {
    if (address === bound.address || !server.listening) continue
    const other = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      server.emit('connection', socket),
    )
    others.push(other)
    await new Promise<void>((resolve) => {
      // Skips an address that cannot be bound: the main server listens on one already.
      other.on('error', () => resolve())
      other.listen({ host: address, port: bound.port }, resolve)
    })
  }
}
