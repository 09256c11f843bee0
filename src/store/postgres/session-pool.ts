import pg, { type PoolClient } from 'pg'
import { closedError } from '../closed-error.ts'
import { disconnectedError } from '../disconnected-error.ts'
import { type Release, Semaphore } from '../semaphore.ts'
import { translateError, unavailableError } from './errors.ts'
import { Session, type SessionLimits } from './session.ts'

/** The maximum age of a connection, in seconds: closing it frees the memory of its server process. */
const maxLifetime = 1800
/** How long an idle connection is kept, in milliseconds: its prepared statements would have to be prepared again. */
const idleTimeout = 600_000
/** When the operating system probes a silent connection, in milliseconds: routers may drop silent connections. */
const keepAliveDelay = 30_000

// Session hand-over. The driver's pool starts and stops two timers whenever a connection is returned and taken
// again. A session that is released goes to the next request of the same turn of the event loop without returning to that pool
// (rows `list` and `one-included` of the benchmark).
//
// Invariant: at the end of each turn of the event loop `#released` is empty. Each session returns to the driver's pool, which closes
// those that are too old, at least once in `maxHandovers` uses.

/** How many times in a row a session is handed over. */
const maxHandovers = 1000

/** The options of the sessions of a database. */
interface SessionPoolOptions extends SessionLimits {
  readonly poolSize: number
  /** Whether sessions keep their state, which a pooler may not allow. */
  readonly keepsSessions: boolean
}

/** The sessions of a database, a limited number. They are opened when they are needed. */
export class SessionPool {
  readonly #pool: pg.Pool
  readonly #limits: SessionLimits
  readonly #semaphore: Semaphore
  readonly #sessions = new WeakMap<PoolClient, Session>()
  /** The sessions that were released in this turn of the event loop. */
  readonly #released: Session[] = []
  #closed: Promise<void> | undefined

  constructor(url: string, options: SessionPoolOptions) {
    this.#pool = createConnections(url, options)
    this.#limits = options
    // Its users limit the queue.
    this.#semaphore = new Semaphore(options.poolSize, Number.POSITIVE_INFINITY, () =>
      unavailableError('Too many requests wait for a connection'),
    )
  }

  /** The number of requests that wait for a session. */
  get waiting(): number {
    return this.#semaphore.waiting
  }

  /** Whether any session is open. */
  get isConnected(): boolean {
    return this.#pool.totalCount > 0
  }

  /**
   * Acquires a session.
   * @throws HeaderError `unavailable` (503); `disconnectedError` if the signal aborts while the request waits
   */
  async acquire(signal?: AbortSignal): Promise<Session> {
    if (this.#closed) throw closedError()
    const deadline = performance.now() + this.#limits.timeout
    const endPermit = this.#semaphore.tryAcquire() ?? (await this.#waitForPermit(signal))
    try {
      const session = this.#released.pop() ?? (await this.#connect(deadline))
      session.onRelease = (isBroken) => {
        this.#giveBack(session, isBroken)
        endPermit()
      }
      return session
    } catch (error) {
      endPermit()
      throw error
    }
  }

  /** Closes every session once it is released. */
  close(): Promise<void> {
    this.#closed ??= this.#pool.end()
    return this.#closed
  }

  async #waitForPermit(signal: AbortSignal | undefined): Promise<Release> {
    try {
      return await this.#semaphore.acquire({ timeout: this.#limits.timeout, signal })
    } catch (error) {
      throw signal?.aborted ? disconnectedError() : error
    }
  }

  /** Takes a connection from the pool of the driver, which opens one if none is idle. */
  async #connect(deadline: number): Promise<Session> {
    if (this.#closed) throw closedError()
    const isIdle = this.#pool.idleCount > 0
    try {
      const connecting = this.#pool.connect()
      return this.#sessionOf(await (isIdle ? connecting : this.#waitUntil(deadline, connecting)))
    } catch (error) {
      throw translateError(error, { timeout: this.#limits.timeout })
    }
  }

  #sessionOf(client: PoolClient): Session {
    const known = this.#sessions.get(client)
    if (known !== undefined) return known
    const session = new Session(client, this.#limits)
    this.#sessions.set(client, session)
    return session
  }

  /** Waits until a connection is open. One that is open after the deadline returns to the pool of the driver. */
  #waitUntil(deadline: number, connecting: Promise<PoolClient>): Promise<PoolClient> {
    const { promise, resolve, reject } = Promise.withResolvers<PoolClient>()
    let isLate = false
    const giveUp = () => {
      isLate = true
      reject(new Error('timeout exceeded while a connection was opened'))
    }
    const timer = setTimeout(giveUp, Math.max(deadline - performance.now(), 0))
    const handleOpened = (client: PoolClient) => (isLate ? client.release() : resolve(client))
    connecting.then(handleOpened, reject).finally(() => clearTimeout(timer))
    return promise
  }

  #giveBack(session: Session, isBroken: boolean): void {
    if (isBroken || this.#closed || session.handovers >= maxHandovers)
      this.#return(session, isBroken)
    else this.#handOver(session)
  }

  #handOver(session: Session): void {
    session.handovers += 1
    if (this.#released.push(session) === 1) setImmediate(() => this.#returnReleased())
  }

  /** Returns the sessions that no request has taken. */
  #returnReleased(): void {
    for (const session of this.#released.splice(0)) this.#return(session, false)
  }

  /** Returns a session to the driver's pool, which closes it if it is broken. */
  #return(session: Session, isBroken: boolean): void {
    session.handovers = 0
    session.client.release(isBroken)
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

/** Creates the driver's pool of connections. Times are in milliseconds. */
function createConnections(
  url: string,
  { poolSize, timeout, driverTimeout, keepsSessions }: SessionPoolOptions,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: timeout,
    query_timeout: driverTimeout,
    maxLifetimeSeconds: maxLifetime,
    idleTimeoutMillis: idleTimeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelay,
    ...(keepsSessions && {
      options: [...sessionSettings, `statement_timeout=${timeout}`]
        .map((setting) => `-c ${setting}`)
        .join(' '),
    }),
  })
  // A connection that breaks while it is idle is replaced; otherwise its next statement fails.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
