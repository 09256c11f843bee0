import type { ExpectedQuery, ReadDurations } from '../read-durations.ts'
import type { Release } from '../semaphore.ts'
import type { Statement } from '../statement.ts'
import { defaultCacheSize } from '../statement-cache.ts'
import { BatchingExecutor } from './batched-reads.ts'
import { PostgresConnection } from './connection.ts'
import { isConnectionLost, unavailableError, unavailableWriteError } from './errors.ts'
import type { PostgresOptions } from './options.ts'
import { ReadAdmission } from './read-admission.ts'
import { cancelGracePeriod, type Session } from './session.ts'
import { SessionPool } from './session-pool.ts'
import type { SessionSetup } from './session-setup.ts'
import {
  beginSnapshot,
  beginStream,
  limitIdleTime,
  PostgresTransaction,
  type TransactionOptions,
} from './transaction.ts'

/** How much longer than our server the database waits for a client that accepts no data, in milliseconds. */
const streamGracePeriod = 5000

/**
 * The connections to a database. They are opened when they are needed.
 *
 * `queueSize` limits the queries that wait for a connection: the requests for one, without those whose query was given up, plus
 * the queries that share the request of another one (`surplus`).
 */
export class PostgresPool {
  /** Runs single statements, each on any connection. */
  readonly shared: PostgresConnection
  readonly #sessions: SessionPool
  readonly #keepsSessions: boolean
  /** Limits the reads other than point reads. */
  readonly #admission: ReadAdmission
  readonly #beginStream: TransactionOptions['begin']
  readonly #limitIdleTime: Statement
  readonly #queueSize: number
  readonly #executor: BatchingExecutor

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
    this.#admission = new ReadAdmission({ poolSize, queueSize, timeout })
    const limits = { timeout, driverTimeout, statementCache }
    this.#sessions = new SessionPool(url, { ...limits, poolSize, keepsSessions })
    this.#beginStream = beginStream(sendTimeout + streamGracePeriod)
    this.#limitIdleTime = limitIdleTime(sendTimeout + streamGracePeriod)
    this.#keepsSessions = keepsSessions
    this.#queueSize = queueSize
    this.#executor = new BatchingExecutor({
      forPointReads: (work) => this.#withSession(work),
      forReads: (work) => this.#withSession(work, () => this.#admission.admit()),
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
    return this.#sessions.isConnected
  }

  /** Closes every connection once it is released. */
  close(): Promise<void> {
    return this.#sessions.close()
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

  /**
   * Runs work on any connection.
   * @param admit - admits the work; when absent, it needs no admission
   */
  async #withSession<Result>(
    work: (session: Session) => Promise<Result>,
    admit?: () => Promise<Release>,
  ): Promise<Result> {
    const endAdmission = admit && (await admit())
    let session: Session | undefined
    let isBroken = false
    try {
      session = await this.#acquire()
      return await work(session)
    } catch (error) {
      isBroken = isConnectionLost(error)
      throw error
    } finally {
      session?.release(isBroken)
      endAdmission?.()
    }
  }

  /** @throws HeaderError `unavailable` (503) */
  #acquire(signal?: AbortSignal): Promise<Session> {
    if (this.#sessions.waiting + this.#executor.surplus >= this.#queueSize)
      return Promise.reject(unavailableError('Too many requests wait for a connection'))
    return this.#sessions.acquire(signal)
  }
}

/** Work in a transaction. */
type Work<Result> = (transaction: PostgresTransaction) => Promise<Result>
