import pg, { type Client } from 'pg'
import { cancelRequest } from './cancel.ts'
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
