import pg, { type Client, type Connection } from 'pg'
import type { DatabaseSource } from '../../observe/events.ts'
import { PreparedStatements } from './prepared.ts'

/** The options of the sessions of a pool. Times are in milliseconds. */
export interface SessionLimits {
  /** How long a statement may run, and how long a connection may take to open. */
  readonly timeout: number
  /** How long the driver waits for a statement before it cancels it: longer than the server's own limit. */
  readonly driverTimeout: number
  /** The bytes of compiled statements in the store's cache; a session keeps prepared statements in proportion. */
  readonly statementCache: number
  /** Whether sessions keep their state, which a pooler may not allow. */
  readonly keepsSessions: boolean
  /** What events say of the database. */
  readonly source: DatabaseSource
}

/** How much longer than the server's own limit the driver waits for a statement, in milliseconds: the server may hang. */
export const cancelGracePeriod = 1000
/** When the operating system probes a silent connection, in milliseconds: routers may drop silent connections. */
const keepAliveDelay = 30_000

/** A connection to the database, with the state of its session. */
export class Session {
  readonly client: Client
  readonly limits: SessionLimits
  readonly prepared: PreparedStatements
  /** Returns the session to its pool, which closes it if it is broken. */
  readonly release: (isBroken: boolean) => void
  /** Whether the connection has failed. */
  isLost = false
  /** For how many intervals of its scheduler it has been open. */
  openIntervals = 0
  /** The same since it was last used. */
  unusedIntervals = 0

  constructor(url: string, options: SessionLimits, release: Session['release']) {
    this.client = createClient(url, options)
    this.limits = options
    this.prepared = new PreparedStatements(options.statementCache)
    this.release = release
  }

  /**
   * Cancels the running statement. Nothing may be sent before this returns.
   * @returns false if the connection must not be used any more
   */
  cancel(): Promise<boolean> {
    return cancelRequest(this.client).catch(() => false)
  }
}

/**
 * The settings on which the texts of values and the meaning of SQL depend, whatever those of the role and the database are: with
 * `extra_float_digits=0` a `real` would be rounded to 6 digits.
 */
const sessionSettings: readonly string[] = [
  ...['TimeZone=UTC', 'DateStyle=ISO', 'IntervalStyle=postgres', 'extra_float_digits=1'],
  ...['array_nulls=on', 'quote_all_identifiers=off', 'standard_conforming_strings=on'],
  // Of a write that is one batch, which begins no transaction by a command.
  String.raw`default_transaction_isolation=read\ committed`,
  // Citus else changes rows of several shards on several connections, and then refuses to change rows of a reference table in the same
  // transaction. PostgreSQL itself keeps settings of any extension, and ignores them.
  'citus.multi_shard_modify_mode=sequential',
]

function createClient(
  url: string,
  { timeout, driverTimeout, keepsSessions }: SessionLimits,
): Client {
  return new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: timeout,
    query_timeout: driverTimeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelay,
    ...(keepsSessions && {
      options: [...sessionSettings, `statement_timeout=${timeout}`]
        .map((setting) => `-c ${setting}`)
        .join(' '),
    }),
  })
}

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
async function cancelRequest(client: Client): Promise<boolean> {
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
