import pg, { type PoolClient } from 'pg'
import { closedError } from '../closed-error.ts'
import type { Statement } from '../statement.ts'
import { defaultCacheSize } from '../statement-cache.ts'
import { BatchingExecutor } from './batched-reads.ts'
import { PostgresConnection, translateErrors } from './connection.ts'
import {
  disconnectedError,
  isConnectionLost,
  unavailableError,
  unavailableWriteError,
} from './errors.ts'
import type { PostgresOptions } from './options.ts'
import { ReadAdmission } from './read-admission.ts'
import type { ExpectedQuery, ReadDurations } from './read-durations.ts'
import { cancelGracePeriod, Session, type SessionLimits } from './session.ts'
import type { SessionSetup } from './session-setup.ts'
import {
  beginSnapshot,
  beginStream,
  limitIdleTime,
  PostgresTransaction,
  type TransactionOptions,
} from './transaction.ts'

/** The maximum age of a connection, in seconds: closing it frees the memory of its server process. */
const maxLifetime = 1800
/** How long an idle connection is kept, in milliseconds: its prepared statements would have to be prepared again. */
const idleTimeout = 600_000
/** When the operating system probes a silent connection, in milliseconds: routers may drop silent connections. */
const keepAliveDelay = 30_000
/** How much longer than our server the database waits for a client that accepts no data, in milliseconds. */
const streamGracePeriod = 5000

/**
 * The connections to a database. They are opened when they are needed.
 *
 * Requests that find no free connection wait in the queue of the driver. `queueSize` limits the queries that wait. Their number is the
 * length of that queue, without the requests that were given up, plus the queries that share the request of another one (`surplus`).
 */
export class PostgresPool {
  /** Runs single statements, each on any connection. */
  readonly shared: PostgresConnection
  readonly #pool: pg.Pool
  readonly #sessions = new WeakMap<PoolClient, Session>()
  readonly #limits: SessionLimits
  readonly #keepsSessions: boolean
  /** Limits the reads other than point reads. */
  readonly #admission: ReadAdmission
  readonly #beginStream: TransactionOptions['begin']
  readonly #limitIdleTime: Statement
  /** Pending requests for connections that were given up. */
  #abandoned = 0
  readonly #queueSize: number
  readonly #executor: BatchingExecutor
  #closed: Promise<void> | undefined

  constructor(
    url: string,
    {
      poolSize = 10,
      queueSize = 1000,
      timeout = 10_000,
      keepsSessions = true,
      sendTimeout = 60_000,
      statementCache = defaultCacheSize,
    }: PostgresOptions = {},
  ) {
    // Without settings of the session the server has no limit of its own.
    const driverTimeout = keepsSessions ? timeout + cancelGracePeriod : timeout
    this.#limits = { timeout, driverTimeout, statementCache }
    this.#pool = createConnections(url, { poolSize, timeout, driverTimeout, keepsSessions })
    this.#admission = new ReadAdmission({ poolSize, queueSize, timeout })
    this.#beginStream = beginStream(sendTimeout + streamGracePeriod)
    this.#limitIdleTime = limitIdleTime(sendTimeout + streamGracePeriod)
    this.#keepsSessions = keepsSessions
    this.#queueSize = queueSize
    this.#executor = new BatchingExecutor({
      forPointReads: (work) => this.#withSession(work),
      forReads: (work) => this.#withReadSession(work),
      admission: this.#admission,
    })
    this.shared = new PostgresConnection(this.#executor, keepsSessions)
  }

  /**
   * Runs work in a write transaction on a connection of its own. An error of the work rolls the transaction back; otherwise
   * the work commits.
   * @param begin - the statements that begin the transaction
   * @param setup - sets what the session of a request has
   * @throws HeaderError `unavailable` (503) when there is no connection, or the database is read-only
   */
  write<Result>(
    begin: TransactionOptions['begin'],
    work: Work<Result>,
    setup?: SessionSetup,
  ): Promise<Result> {
    return this.#runTransaction({ begin, setup }, (transaction) =>
      work(transaction).catch((error) => {
        throw unavailableWriteError(error)
      }),
    )
  }

  /**
   * Runs work in a read transaction, which sees one snapshot.
   * @param signal - cancels the work, or gives it up while it waits
   * @param query - the query that takes most of the time of the work, whose expected duration decides when it is admitted
   */
  async read<Result>(
    signal: AbortSignal | undefined,
    work: Work<Result>,
    setup?: SessionSetup,
    query?: ExpectedQuery,
  ): Promise<Result> {
    const admission = this.#admission
    const onEnd = await (query
      ? admission.admitTransaction(query, signal)
      : admission.admit(signal))
    const acquire = () => admission.continueAsStream(signal)
    const stream = { acquire, limitIdleTime: this.#limitIdleTime }
    return this.#runTransaction({ begin: beginSnapshot, setup, signal, stream, onEnd }, work)
  }

  /**
   * Runs work that may continue as a stream in a read transaction. Half of the connections are reserved for other work, so it
   * may wait before it acquires one.
   * @throws HeaderError `overloaded` (503) when it waits too long
   */
  async stream<Result>(
    signal: AbortSignal | undefined,
    work: Work<Result>,
    setup?: SessionSetup,
  ): Promise<Result> {
    const onEnd = await this.#admission.admitStream(signal)
    return this.#runTransaction({ begin: this.#beginStream, setup, signal, onEnd }, work)
  }

  /** The expected durations of the reads. */
  get durations(): ReadDurations {
    return this.#admission.durations
  }

  /** Whether any connection is open. */
  get isConnected(): boolean {
    return this.#pool.totalCount > 0
  }

  /** Closes every connection once it is released. */
  close(): Promise<void> {
    this.#closed ??= this.#pool.end()
    return this.#closed
  }

  async #runTransaction<Result>(
    options: Omit<TransactionOptions, 'prepares'>,
    work: Work<Result>,
  ): Promise<Result> {
    const session = await this.#acquire(options.signal).catch((error) => {
      options.onEnd?.()
      throw error
    })
    const prepares = this.#keepsSessions
    const transaction = new PostgresTransaction(session, { ...options, prepares })
    try {
      return await work(transaction)
    } catch (error) {
      await transaction.rollback(isConnectionLost(error))
      throw error
    }
  }

  /** Runs a read that may take long on any connection. */
  async #withReadSession<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    const release = await this.#admission.admit()
    return this.#withSession(work).finally(release)
  }

  /** Runs work on any connection. */
  async #withSession<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    const session = await this.#acquire()
    let isBroken = false
    try {
      return await work(session)
    } catch (error) {
      isBroken = isConnectionLost(error)
      throw error
    } finally {
      session.release(isBroken)
    }
  }

  /** @throws HeaderError `unavailable` (503) */
  async #acquire(signal?: AbortSignal): Promise<Session> {
    if (this.#closed) throw closedError()
    if (this.#pool.waitingCount - this.#abandoned + this.#executor.surplus >= this.#queueSize)
      throw unavailableError('Too many requests wait for a connection')
    const connecting = translateErrors(this.#limits.timeout, () => this.#pool.connect())
    return this.#sessionOf(await (signal ? this.#unlessAborted(signal, connecting) : connecting))
  }

  /** Waits for a connection unless the signal aborts first. Then the connection is released as soon as it arrives. */
  #unlessAborted(signal: AbortSignal, connecting: Promise<PoolClient>): Promise<PoolClient> {
    const { promise, resolve, reject } = Promise.withResolvers<PoolClient>()
    let isGivenUp = false
    const giveUp = () => {
      isGivenUp = true
      this.#abandoned += 1
      reject(disconnectedError())
    }
    const handleArrival = () => {
      signal.removeEventListener('abort', giveUp)
      if (isGivenUp) this.#abandoned -= 1
    }
    connecting.then(
      (client) => {
        handleArrival()
        if (isGivenUp) client.release()
        else resolve(client)
      },
      (error) => {
        handleArrival()
        reject(error)
      },
    )
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
    return promise
  }

  #sessionOf(client: PoolClient): Session {
    const known = this.#sessions.get(client)
    if (known !== undefined) return known
    const session = new Session(client, this.#limits)
    this.#sessions.set(client, session)
    return session
  }
}

/** Work in a transaction. */
type Work<Result> = (transaction: PostgresTransaction) => Promise<Result>

/** The settings on which the texts of values and the meaning of SQL depend, whatever those of the role and the database are. */
const sessionSettings: readonly string[] = [
  ...['TimeZone=UTC', 'DateStyle=ISO', 'IntervalStyle=postgres', 'extra_float_digits=1'],
  ...['array_nulls=on', 'quote_all_identifiers=off', 'standard_conforming_strings=on'],
]

/** Creates the driver's pool of connections. Times are in milliseconds. */
function createConnections(
  url: string,
  {
    poolSize,
    timeout,
    driverTimeout,
    keepsSessions,
  }: Required<Pick<PostgresOptions, 'poolSize' | 'timeout' | 'keepsSessions'>> &
    Readonly<{ driverTimeout: number }>,
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
