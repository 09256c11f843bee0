import pg, { type PoolClient } from 'pg'
import { Semaphore } from '../semaphore.ts'
import { defaultCacheSize } from '../statement-cache.ts'
import { SharedExecutor } from './batched-reads.ts'
import { PostgresConnection, translateErrors } from './connection.ts'
import { DisconnectWatch } from './disconnects.ts'
import {
  disconnectedError,
  isConnectionLost,
  unavailableError,
  unavailableWriteError,
} from './errors.ts'
import type { PostgresOptions } from './options.ts'
import { cancelGracePeriod, Session, type SessionLimits } from './session.ts'
import {
  beginSnapshot,
  beginStream,
  PostgresTransaction,
  type TransactionOptions,
} from './transaction.ts'

/** How long a connection lives, in seconds: with it goes what the server keeps for it. */
const lifetime = 1800
/** How long a connection is kept that nobody uses, in milliseconds: what it has prepared would have to be prepared again. */
const idle = 600_000
/** After how long the system makes sure that somebody is there, in milliseconds: what stands between may forget a silent one. */
const keptAlive = 30_000
/** How much longer than the server does the database wait for a client that accepts no data, in milliseconds. */
const margin = 5000

/** The connections to a database. */
export class PostgresPool {
  /** Runs single statements, each on any connection. */
  readonly shared: PostgresConnection
  readonly #pool: pg.Pool
  readonly #sessions = new WeakMap<PoolClient, Session>()
  readonly #limits: SessionLimits
  readonly #keepsSessions: boolean
  /** Those that stream keep connections for as long as their clients take; others are to have some at all times. */
  readonly #streams: Semaphore
  readonly #streaming: TransactionOptions['begin']
  /** How many have given up waiting for a connection that is still on its way to them. */
  #abandoned = 0
  readonly #queueSize: number
  readonly #line: SharedExecutor

  /** Nothing is connected before it is used. */
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
    // Where the server knows no limit, the driver's is the only one.
    const driverTimeout = keepsSessions ? timeout + cancelGracePeriod : timeout
    this.#limits = { timeout, driverTimeout, statementCache }
    this.#pool = new pg.Pool({
      connectionString: url,
      max: poolSize,
      connectionTimeoutMillis: timeout,
      query_timeout: driverTimeout,
      maxLifetimeSeconds: lifetime,
      idleTimeoutMillis: idle,
      keepAlive: true,
      keepAliveInitialDelayMillis: keptAlive,
      ...(keepsSessions && {
        options: `-c TimeZone=UTC -c DateStyle=ISO -c statement_timeout=${timeout}`,
      }),
    })
    this.#streams = new Semaphore(Math.max(Math.floor(poolSize / 2), 1), queueSize)
    this.#streaming = beginStream(sendTimeout + margin)
    // A connection that breaks between two statements is told to whoever runs the next one, or replaced.
    this.#pool.on('error', () => {})
    this.#pool.on('connect', (client) => client.on('error', () => {}))
    this.#keepsSessions = keepsSessions
    this.#queueSize = queueSize
    this.#line = new SharedExecutor((work) => this.#lend(work), new DisconnectWatch())
    this.shared = new PostgresConnection(this.#line, keepsSessions)
  }

  /**
   * Runs work that writes in a transaction on a connection of its own. Whatever the work throws undoes it; what it leaves
   * open, it ends later.
   * @param begin - the statements that begin it
   * @throws HeaderError `unavailable` (503) when there is no connection to be had, or nothing can be written
   */
  write<Result>(begin: TransactionOptions['begin'], work: Work<Result>): Promise<Result> {
    return this.#begin({ begin }, (transaction) =>
      work(transaction).catch((error) => {
        throw unavailableWriteError(error)
      }),
    )
  }

  /**
   * Runs work that reads one snapshot, in the same way.
   * @param signal - on which it is stopped, or given up while it waits
   */
  read<Result>(signal: AbortSignal | undefined, work: Work<Result>): Promise<Result> {
    return this.#begin({ begin: beginSnapshot, signal }, work)
  }

  /**
   * The same for work that goes on for as long as a client takes to read what comes of it. Only so much of that is done
   * at the same time that connections are left for other work; the rest waits before it takes one.
   * @throws HeaderError `overloaded` (503) when it waits for too long
   */
  async stream<Result>(signal: AbortSignal | undefined, work: Work<Result>): Promise<Result> {
    const { timeout } = this.#limits
    const onEnd = await this.#streams.acquire({ timeout, signal })
    return this.#begin({ begin: this.#streaming, signal, onEnd }, work)
  }

  /** Whether there is any connection at the moment. */
  get isConnected(): boolean {
    return this.#pool.totalCount > 0
  }

  /** Ends every connection, once it is given back. */
  close(): Promise<void> {
    return this.#pool.end()
  }

  async #begin<Result>(
    options: Omit<TransactionOptions, 'prepares'>,
    work: Work<Result>,
  ): Promise<Result> {
    const session = await this.#session(options.signal).catch((error) => {
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

  /** Does what takes a connection for a moment. */
  async #lend<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    const session = await this.#session()
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

  async #session(signal?: AbortSignal): Promise<Session> {
    if (this.#pool.waitingCount - this.#abandoned + this.#line.surplus >= this.#queueSize)
      throw unavailableError('More requests wait')
    const connecting = translateErrors(this.#limits.timeout, () => this.#pool.connect())
    return this.#sessionOf(await (signal ? this.#unless(signal, connecting) : connecting))
  }

  /** A connection that is waited for, unless a signal comes before it; then it goes back as soon as it is there. */
  #unless(signal: AbortSignal, connecting: Promise<PoolClient>): Promise<PoolClient> {
    const { promise, resolve, reject } = Promise.withResolvers<PoolClient>()
    let isGivenUp = false
    const giveUp = () => {
      isGivenUp = true
      this.#abandoned += 1
      reject(disconnectedError())
    }
    const arrive = () => {
      signal.removeEventListener('abort', giveUp)
      if (isGivenUp) this.#abandoned -= 1
    }
    connecting.then(
      (client) => {
        arrive()
        if (isGivenUp) client.release()
        else resolve(client)
      },
      (error) => {
        arrive()
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

/** What is done in a transaction. */
type Work<Result> = (transaction: PostgresTransaction) => Promise<Result>
