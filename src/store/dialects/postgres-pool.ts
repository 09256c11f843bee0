import pg, { type PoolClient } from 'pg'
import type { Statement } from '../statement.ts'
import { PostgresConnection, translated } from './postgres-connection.ts'
import { isLost, unavailable } from './postgres-errors.ts'
import type { PostgresOptions } from './postgres-options.ts'
import { SharedLine } from './postgres-shared.ts'
import { PostgresTransaction } from './postgres-transaction.ts'

/** How long a connection lives, in seconds: with it goes what the server keeps for it. */
const lifetime = 1800
/** How long a connection is kept that nobody uses, in milliseconds: what it has prepared would have to be prepared again. */
const idle = 600_000
/** After how long the system makes sure that somebody is there, in milliseconds: what stands between may forget a silent one. */
const keptAlive = 30_000
/** How much longer than the server's own limit a statement is waited for, in milliseconds: a server may hang. */
const grace = 1000

/** The connections to a database. */
export class PostgresPool {
  /** Runs single statements, each on any connection. */
  readonly shared: PostgresConnection
  readonly #pool: pg.Pool
  readonly #keepsSessions: boolean
  readonly #queueSize: number
  readonly #line: SharedLine

  /** Nothing is connected before it is used. */
  constructor(
    url: string,
    {
      poolSize = 10,
      queueSize = 1000,
      timeout = 10_000,
      keepsSessions = true,
    }: PostgresOptions = {},
  ) {
    this.#pool = new pg.Pool({
      connectionString: url,
      max: poolSize,
      connectionTimeoutMillis: timeout,
      query_timeout: timeout + grace,
      maxLifetimeSeconds: lifetime,
      idleTimeoutMillis: idle,
      keepAlive: true,
      keepAliveInitialDelayMillis: keptAlive,
      ...(keepsSessions && {
        options: `-c TimeZone=UTC -c DateStyle=ISO -c statement_timeout=${timeout}`,
      }),
    })
    // A connection that breaks between two statements is told to whoever runs the next one, or replaced.
    this.#pool.on('error', () => {})
    this.#pool.on('connect', (client) => client.on('error', () => {}))
    this.#keepsSessions = keepsSessions
    this.#queueSize = queueSize
    this.#line = new SharedLine((work) => this.#lend(work))
    this.shared = new PostgresConnection(this.#line, keepsSessions)
  }

  /**
   * Runs work in a transaction on a connection of its own. Whatever the work throws undoes it; what it leaves open, it
   * ends later.
   * @param begin - the statements that begin it
   * @throws HeaderError `unavailable` (503) when there is no connection to be had
   */
  async begin<Result>(
    begin: readonly Statement[],
    work: (transaction: PostgresTransaction) => Promise<Result>,
  ): Promise<Result> {
    const transaction = new PostgresTransaction(await this.#client(), begin, this.#keepsSessions)
    try {
      return await work(transaction)
    } catch (error) {
      await transaction.rollback(isLost(error))
      throw error
    }
  }

  /** Whether there is any connection at the moment. */
  get isConnected(): boolean {
    return this.#pool.totalCount > 0
  }

  /** Ends every connection, once it is given back. */
  close(): Promise<void> {
    return this.#pool.end()
  }

  /** Does what takes a connection for a moment. */
  async #lend<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.#client()
    let isBroken = false
    try {
      return await work(client)
    } catch (error) {
      isBroken = isLost(error)
      throw error
    } finally {
      client.release(isBroken)
    }
  }

  #client(): Promise<PoolClient> {
    if (this.#pool.waitingCount + this.#line.joined >= this.#queueSize)
      throw unavailable('More requests wait')
    return translated(() => this.#pool.connect())
  }
}
