import pg, { type Client, type Connection } from 'pg'

/** How long a CancelRequest may take, in milliseconds. */
const timeout = 1000

/** Properties of the driver's client that its types omit. */
interface ConnectedClient {
  readonly host: string
  readonly port: number
  /** The cancellation key of the server process; absent if a pooler sends none. */
  readonly processID?: number | null
  readonly secretKey?: number | null
  readonly connection: Connection & Readonly<{ ssl: unknown; sslNegotiation?: string }>
}

/** The driver's connection with methods that its types omit. */
interface CancelConnection extends Connection {
  connect(port: number | string, host?: string): void
  requestSsl(): void
  cancel(processId: number, secretKey: number): void
}

/**
 * Cancels what the server runs for a client: sends a CancelRequest on a connection of its own, which is encrypted if the
 * client's is (PostgreSQL 18, 54.2.8). The request cancels whatever runs when it arrives, so nothing new may be sent on the
 * client's connection before this returns.
 * @returns whether the server has processed the request, so that it cannot affect a later statement
 */
export async function cancelRequest(client: Client): Promise<boolean> {
  const { host, port, processID, secretKey, connection } = asConnected(client)
  if (processID == null || secretKey == null) return false
  const { ssl, sslNegotiation } = connection
  const own = createConnection({ ssl, sslNegotiation, keepAlive: false })
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, timeout, false)
  let isSent = false
  const cancel = () => {
    isSent = true
    own.cancel(processID, secretKey)
  }
  own.on('connect', () => {
    if (ssl && sslNegotiation !== 'direct') own.requestSsl()
    else if (!ssl) cancel()
  })
  own.on('sslconnect', cancel)
  own.on('error', () => resolve(false))
  // The server closes the connection once it has processed the request.
  own.on('end', () => resolve(isSent))
  if (host.startsWith('/')) own.connect(`${host}/.s.PGSQL.${port}`)
  else own.connect(port, host)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    own.stream.destroy()
  }
}

function createConnection(options: object): CancelConnection {
  // The driver's types omit some options and methods.
  const connection = new pg.Connection(options as ConstructorParameters<typeof pg.Connection>[0])
  return connection as CancelConnection
}

function asConnected(client: Client): ConnectedClient {
  // The driver's types omit these properties.
  return client as Client & ConnectedClient
}
