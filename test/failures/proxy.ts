import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { messageReader } from './messages.ts'

/** A proxy for a database. */
interface Proxy {
  /** The URL of the database through the proxy. */
  readonly url: URL
  close(): Promise<void>
}

/** A proxy for a PostgreSQL server that counts round trips. */
export interface CountingProxy {
  /** The URL of the database through the proxy. */
  readonly url: string
  /** The number of round trips since the last call. */
  roundTrips(): number
  close(): Promise<void>
}

/**
 * Starts a proxy for a database.
 * @param watch - called for each connection, before it sends anything
 */
export async function openProxy(
  database: string,
  watch: (client: Socket, server: Socket) => void,
): Promise<Proxy> {
  const { hostname, port } = new URL(database)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const behind = connect(Number(port), hostname)
    for (const socket of [client, behind]) {
      sockets.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          client.destroy()
          behind.destroy()
        })
    }
    watch(client, behind)
    client.pipe(behind).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = new URL(database)
  url.port = String(typeof address === 'object' ? address?.port : '')
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }
  return { url, close }
}

/** Starts a proxy for a database that counts round trips. */
export async function proxyTo(database: string): Promise<CountingProxy> {
  let count = 0
  const { url, close } = await openProxy(database, (client) => {
    const messages = messageReader(1)
    client.on('data', (piece: Buffer) => {
      // `Sync` ends a series of the extended protocol, `Query` is one of the simple protocol.
      count += messages(piece).filter(({ type }) => type === 'S' || type === 'Q').length
    })
  })
  const roundTrips = () => {
    const seen = count
    count = 0
    return seen
  }
  return { url: String(url), roundTrips, close }
}
