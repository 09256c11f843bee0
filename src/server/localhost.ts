import { lookup } from 'node:dns/promises'
import { createServer, type ListenOptions, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Makes a server that is told to listen on `localhost` listen on all addresses of that name, 127.0.0.1 and ::1, as
 * Fastify does for a server that it makes itself. There is one HTTP server: the others hand their connections to it.
 */
export function listenOnAllOfLocalhost(app: FastifyInstance): void {
  const { server } = app
  const others: Server[] = []
  const closed: Promise<unknown>[] = []
  server.listen = new Proxy(server.listen, {
    apply: (listen, self, args) => {
      const [options] = args
      if (isOfLocalhost(options))
        server.once('listening', () => void bindOthers(app, options, others))
      return Reflect.apply(listen, self, args)
    },
  })
  app.addHook('preClose', async () => {
    for (const other of others) closed.push(new Promise((resolve) => other.close(resolve)))
    server.closeIdleConnections()
  })
  app.addHook('onClose', async () => {
    await Promise.all(closed)
  })
}

function isOfLocalhost(options: unknown): options is ListenOptions {
  return (
    typeof options === 'object' &&
    options !== null &&
    'host' in options &&
    options.host === 'localhost'
  )
}

async function bindOthers(
  { server }: FastifyInstance,
  options: ListenOptions,
  others: Server[],
): Promise<void> {
  const bound = server.address()
  if (bound === null || typeof bound === 'string') return
  const addresses = await lookup('localhost', { all: true }).catch(() => [])
  for (const { address } of addresses) {
    if (address === bound.address || !server.listening) continue
    const other = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      server.emit('connection', socket),
    )
    // An address that cannot be taken is left out: the first one is listened on.
    other.on('error', () => {})
    other.listen({ ...options, host: address, port: bound.port })
    others.push(other)
  }
}
