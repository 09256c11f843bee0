import pg, { type Connection, type PoolClient } from 'pg'

/** How long a CancelRequest may take, in milliseconds. */
const patience = 1000

/** What the driver knows of a client's connection and its types do not tell. */
interface Connected {
  readonly host: string
  readonly port: number
  /** The key of the server's process; absent where a pooler gives none. */
  readonly processID?: number | null
  readonly secretKey?: number | null
  readonly connection: Connection & Readonly<{ ssl: unknown; sslNegotiation?: string }>
}

/** The driver's connection with the methods that its types leave out. */
interface CancelConnection extends Connection {
  connect(port: number | string, host?: string): void
  requestSsl(): void
  cancel(processId: number, secretKey: number): void
}

/**
 * Asks the server to stop what it runs for a client: a CancelRequest on a connection of its own, encrypted where the
 * client's is (PostgreSQL 18, 54.2.8). Whatever the client's connection runs when the request arrives is stopped, so
 * nothing new may be sent on it before this returns.
 * @returns whether the server has taken the request, so that it can reach no later statement
 */
export async function cancelRequest(client: PoolClient): Promise<boolean> {
  const { host, port, processID, secretKey, connection } = connected(client)
  if (processID == null || secretKey == null) return false
  const { ssl, sslNegotiation } = connection
  const options = { ssl, sslNegotiation, keepAlive: false }
  // The driver's types know less of the options and of the methods than there are.
  const canceling = new pg.Connection(options as ConstructorParameters<typeof pg.Connection>[0])
  const own = canceling as CancelConnection
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, patience, false)
  const cancel = () => own.cancel(processID, secretKey)
  let isSent = false
  own.on('connect', () => {
    if (ssl && sslNegotiation !== 'direct') return own.requestSsl()
    if (ssl) return
    isSent = true
    cancel()
  })
  own.on('sslconnect', () => {
    isSent = true
    cancel()
  })
  own.on('error', () => resolve(false))
  // The server answers by closing the connection, once it has passed the request on.
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

function connected(client: PoolClient): Connected {
  // The driver's types do not tell of these.
  return client as PoolClient & Connected
}
