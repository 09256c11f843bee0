import type { DatabaseSource } from '../../observe/events.ts'
import type { ExpectedQuery, ReadDurations } from '../../sql/read/read-durations.ts'
import type { Statement } from '../../sql/statement.ts'
import { defaultCacheSize } from '../../sql/statement-cache.ts'
import { isConnectionLost, unavailableWriteError } from '../errors.ts'
import type { PostgresOptions } from '../options.ts'
import {
  beginSnapshot,
  beginStream,
  limitIdleTime,
  PostgresTransaction,
  type TransactionOptions,
} from '../transaction.ts'
import { executeText, PostgresConnection, type QueryExecutor } from './connection.ts'
import type { PostgresQuery } from './pipeline.ts'
import { Scheduler, type SessionRequest } from './scheduler.ts'
import { cancelGracePeriod, type Session } from './session.ts'
import type { SessionSetup } from './session-setup.ts'

/** How much longer than our server the database waits for a client that accepts no data, in milliseconds. */
const streamGracePeriod = 5000

/** Work in a transaction. */
type Work<Result> = (transaction: PostgresTransaction) => Promise<Result>

/** The connections to a database: statements on any of them, and transactions, each on one of its own. */
export class PostgresPool {
  /** Runs single statements, each on any connection. */
  readonly shared: PostgresConnection
  readonly #scheduler: Scheduler
  readonly #keepsSessions: boolean
  readonly #beginStream: TransactionOptions['begin']
  readonly #limitIdleTime: Statement

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
    const source = toSource(url)
    const sessions = { timeout, driverTimeout, statementCache, keepsSessions, source }
    const scheduler = new Scheduler(url, { ...sessions, poolSize, queueSize })
    this.#scheduler = scheduler
    this.#keepsSessions = keepsSessions
    this.#beginStream = beginStream(sendTimeout + streamGracePeriod)
    this.#limitIdleTime = limitIdleTime(sendTimeout + streamGracePeriod)
    const executor = {
      source,
      send: (query: PostgresQuery) => scheduler.run(query),
      execute: (...text: Parameters<QueryExecutor['execute']>) => this.#execute(...text),
    }
    this.shared = new PostgresConnection(executor, keepsSessions)
  }

  /**
   * Runs work in a write transaction on a connection of its own. An error of the work rolls the transaction back; otherwise
   * the work commits.
   * @param begin - the statements that begin the transaction
   * @param setup - sets what the session of a request has
   * @throws HttpError `unavailable` (503) when there is no connection, or the database is read-only
   */
  write<Result>(
    begin: TransactionOptions['begin'],
    work: Work<Result>,
    setup?: SessionSetup,
  ): Promise<Result> {
    return this.#runTransaction({ class: 'write' }, { begin, setup }, (transaction) =>
      work(transaction).catch((error) => {
        throw unavailableWriteError(error)
      }),
    )
  }

  /**
   * Runs work in a read transaction, which sees one snapshot.
   * @param signal - cancels the work, or gives it up while it waits
   * @param query - the query that takes most of the time of the work, whose expected duration decides when it starts
   */
  read<Result>(
    signal: AbortSignal | undefined,
    work: Work<Result>,
    setup?: SessionSetup,
    query?: ExpectedQuery,
  ): Promise<Result> {
    const { durations } = this
    const job: SessionRequest = query
      ? { class: durations.classOf(query), startBy: durations.startTime(query), signal }
      : { class: 'quick', signal }
    const admit = (session: Session) => this.#scheduler.continueAsStream(session)
    const stream = { admit, limitIdleTime: this.#limitIdleTime }
    return this.#runTransaction(job, { begin: beginSnapshot, setup, stream }, work)
  }

  /**
   * Runs work that may continue as a stream in a read transaction. Half of the connections are reserved for other work, so it
   * may wait before it acquires one.
   * @throws HttpError `overloaded` (503) when it waits too long
   */
  stream<Result>(
    signal: AbortSignal | undefined,
    work: Work<Result>,
    setup?: SessionSetup,
  ): Promise<Result> {
    const options = { begin: this.#beginStream, setup }
    return this.#runTransaction({ class: 'stream', signal }, options, work)
  }

  /** The expected durations of the reads. */
  get durations(): ReadDurations {
    return this.#scheduler.durations
  }

  /** Whether any connection is open. */
  get isConnected(): boolean {
    return this.#scheduler.isConnected
  }

  /** Rejects what waits for a connection, and closes every connection once it is released. */
  close(): Promise<void> {
    return this.#scheduler.close()
  }

  async #runTransaction<Result>(
    job: SessionRequest,
    options: Pick<TransactionOptions, 'begin' | 'setup' | 'stream'>,
    work: Work<Result>,
  ): Promise<Result> {
    const session = await this.#scheduler.acquire(job)
    const transaction = new PostgresTransaction(session, {
      ...options,
      prepares: this.#keepsSessions,
      signal: job.signal,
    })
    try {
      return await work(transaction)
    } catch (error) {
      await transaction.rollback(isConnectionLost(error))
      throw error
    }
  }

  async #execute(text: string, timeout?: number): Promise<string> {
    const session = await this.#scheduler.acquire({ class: 'write' })
    let isBroken = false
    try {
      return await executeText(session, text, timeout)
    } catch (error) {
      isBroken = isConnectionLost(error)
      throw error
    } finally {
      session.release(isBroken)
    }
  }
}

/** Returns what events say of a database. Without a port in its URL it is that of PostgreSQL. */
function toSource(url: string): DatabaseSource {
  const { hostname, port, pathname } = new URL(url)
  return {
    system: 'postgresql',
    namespace: decodeURIComponent(pathname.slice(1)),
    address: hostname,
    port: Number(port || 5432),
  }
}
