import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { type Message, messageOf, messageReader } from './messages.ts'

/** Protocol version 3.0, which starts a session. */
const version = 196_608
/** The code instead of a version in a request to cancel the statement of another connection. */
const cancelCode = 80_877_102

/** A pooler that assigns each of its few connections to one transaction at a time, as PgBouncer does in transaction mode. */
interface Pooler {
  readonly url: string
  /** The number of transactions that got a connection. */
  readonly assigned: number
  /** The number of cancel requests that were forwarded. */
  readonly canceled: number
  close(): Promise<void>
}

/** A connection to the server, and its present client. */
interface Server {
  readonly socket: Socket
  /** The process and the key for cancel requests, as the server has sent them. */
  readonly key: Buffer
  client: Client | undefined
}

/** A client, and its messages that were not forwarded yet. */
interface Client {
  readonly socket: Socket
  server: Server | undefined
  readonly unheard: Buffer[]
}

/** Starts a pooler with so many connections for a database. */
export async function poolerTo(database: string, size: number): Promise<Pooler> {
  const free: Server[] = []
  const waiting: Client[] = []
  const sockets = new Set<Socket>()
  const clients: Client[] = []
  let assigned = 0
  let canceled = 0
  for (let made = 0; made < size; made += 1) {
    const server: Server = { ...(await loggedIn(new URL(database))), client: undefined }
    const messages = messageReader(0)
    server.socket.on('data', (piece: Buffer) => {
      for (const message of messages(piece)) {
        server.client?.socket.write(message.bytes)
        if (isIdle(message)) giveBack(server)
      }
    })
    sockets.add(server.socket)
    free.push(server)
  }

  const listener = createServer((socket) => {
    const client: Client = { socket, server: undefined, unheard: [] }
    const messages = messageReader(1)
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', (piece: Buffer) => {
      for (const { type, bytes } of messages(piece)) {
        if (type === '' && bytes.readInt32BE(4) === cancelCode) void cancel(socket, bytes)
        else if (type === '') greet(socket, bytes, clients.push(client))
        else if (type !== 'X') hear(client, bytes)
      }
    })
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  const url = new URL(database)
  url.port = String(typeof address === 'object' ? address?.port : '')
  return {
    url: String(url),
    get assigned() {
      return assigned
    },
    get canceled() {
      return canceled
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      listener.close()
      await once(listener, 'close')
    },
  }

  /** Forwards a cancel request to the present server of the client, and closes the connection. */
  async function cancel(socket: Socket, bytes: Buffer): Promise<void> {
    const server = clients[bytes.readInt32BE(8) - 1]?.server
    if (server) {
      canceled += 1
      const own = connect(Number(new URL(database).port), new URL(database).hostname)
      own.on('error', () => {})
      const code = Buffer.alloc(4)
      code.writeInt32BE(cancelCode)
      own.write(Buffer.concat([Buffer.from([0, 0, 0, 16]), code, server.key]))
      await once(own, 'close')
    }
    socket.end()
  }

  function hear(client: Client, bytes: Buffer): void {
    if (client.server) {
      client.server.socket.write(bytes)
      return
    }
    client.unheard.push(bytes)
    if (!waiting.includes(client)) waiting.push(client)
    assign()
  }

  function assign(): void {
    for (;;) {
      const server = waiting.length > 0 ? free.shift() : undefined
      const client = server && waiting.shift()
      if (server === undefined || client === undefined) return
      server.client = client
      client.server = server
      assigned += 1
      for (const bytes of client.unheard.splice(0)) server.socket.write(bytes)
    }
  }

  function giveBack(server: Server): void {
    if (server.client) server.client.server = undefined
    server.client = undefined
    // The least recently used connection is assigned next, so that no client gets the same one twice in a row.
    free.push(server)
    assign()
  }
}

/** The server waits for the next transaction. */
function isIdle({ type, bytes }: Message): boolean {
  return type === 'Z' && bytes.at(-1) === 'I'.charCodeAt(0)
}

/** Rejects settings of the session that PgBouncer would reject. */
function greet(socket: Socket, bytes: Buffer, number: number): void {
  const names = bytes
    .subarray(8)
    .toString()
    .split('\0')
    .filter((_, index) => index % 2 === 0)
  const odd = names.find((name) => !['', 'user', 'database', 'client_encoding'].includes(name))
  if (odd !== undefined) {
    socket.end(messageOf('E', 'SFATAL', 'C08P01', `Munsupported startup parameter: ${odd}`, ''))
    return
  }
  const key = messageOf('K', number, 0)
  socket.write(Buffer.concat([messageOf('R', 0), key, Buffer.from([90, 0, 0, 0, 5, 73])]))
}

/** Connects to a server that requests the password as plain text. */
async function loggedIn({
  hostname,
  port,
  username,
  password,
  pathname,
}: URL): Promise<Pick<Server, 'socket' | 'key'>> {
  const socket = connect(Number(port), hostname)
  const messages = messageReader(0)
  socket.write(messageOf('', version, 'user', username, 'database', pathname.slice(1), ''))
  let key = Buffer.alloc(0)
  for (;;) {
    const [piece] = await once(socket, 'data')
    const said = messages(piece)
    for (const { type, bytes } of said) if (type === 'K') key = Buffer.from(bytes.subarray(5))
    if (said.some(({ type, bytes }) => type === 'R' && bytes.readInt32BE(5) === 3))
      socket.write(messageOf('p', password))
    if (said.some(isIdle)) return { socket, key }
  }
}
