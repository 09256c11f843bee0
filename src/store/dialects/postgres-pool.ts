import pg, { type PoolClient } from 'pg'
import Cursor from 'pg-cursor'
import type { Row } from '../../plan/rows.ts'
import { bound, type RunValues, type Statement } from '../statement.ts'
import { PostgresConnection, publish, translated } from './postgres-connection.ts'
import { isLost, unavailable } from './postgres-errors.ts'

/** What may be said of a PostgreSQL database beside its address. */
export interface PostgresOptions {
  /** Streaming standbys of the database to read from, one address each. Default none. */
  readonly replicaUrls?: readonly string[]
  /** The most connections. Default 10. */
  readonly poolSize?: number
  /** How many requests may wait for a connection; more are told to come back. Default 1000. */
  readonly queueSize?: number
  /** How long a request waits for a connection, and a statement may run, each in milliseconds. Default 10 s. */
  readonly timeout?: number
  /**
   * Whether the server keeps statements under names and takes our settings of the session. Turn it off behind a pooler
   * that lends a server's connection for one transaction at a time. Default yes.
   */
  readonly keepsSessions?: boolean
}

/** How long a connection lives, in seconds: with it goes what the server keeps for it. */
const lifetime = 1800
/** How much longer than the server's own limit a statement is waited for, in milliseconds: a server may hang. */
const grace = 1000

const inDoubt =
  'The database went away while it made this write final, so it may have been kept or not'

/** The connections to a database. */
export class PostgresPool {
  /** Runs single statements, each on any connection. */
  readonly shared: PostgresConnection
  readonly #pool: pg.Pool
  readonly #keepsSessions: boolean
  readonly #queueSize: number

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
      keepAlive: true,
      ...(keepsSessions && {
        options: `-c TimeZone=UTC -c DateStyle=ISO -c statement_timeout=${timeout}`,
      }),
    })
    // A connection that breaks between two statements is told to whoever runs the next one, or replaced.
    this.#pool.on('error', () => {})
    this.#pool.on('connect', (client) => client.on('error', () => {}))
    this.#keepsSessions = keepsSessions
    this.#queueSize = queueSize
    this.shared = new PostgresConnection(this.#pool, keepsSessions, () => this.#admit())
  }

  /**
   * Runs work in a transaction on a connection of its own. Whatever the work throws undoes it; what it leaves open, it
   * ends later.
   * @param mode - as PostgreSQL writes it after `begin`
   * @throws HeaderError `unavailable` (503) when there is no connection to be had
   */
  async begin<Result>(
    mode: string,
    work: (transaction: PostgresTransaction) => Promise<Result>,
  ): Promise<Result> {
    this.#admit()
    const client = await translated(() => this.#pool.connect())
    const transaction = new PostgresTransaction(client, this.#keepsSessions)
    try {
      await transaction.execute(`begin ${mode}`)
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

  #admit(): void {
    if (this.#pool.waitingCount >= this.#queueSize) throw unavailable('More requests wait')
  }
}

/** A connection with a transaction open on it, which goes back to the pool with its end. */
export class PostgresTransaction extends PostgresConnection {
  #client: PoolClient | undefined

  constructor(client: PoolClient, keepsSessions: boolean) {
    super(client, keepsSessions)
    this.#client = client
  }

  /**
   * Makes everything durable.
   * @throws HeaderError `unavailable` (503), which says so, when nobody can know whether it was
   */
  async commit(): Promise<void> {
    const said = await this.execute('commit').catch((error) => {
      throw isLost(error) ? unavailable(inDoubt, error, 'look before you try again') : error
    })
    if (said !== 'COMMIT')
      throw new Error(
        'A statement of the transaction failed and its error was caught; all is undone.',
      )
    this.#giveBack()
  }

  /**
   * Undoes everything, if the transaction has not ended.
   * @param isLost - whether the connection is known to be gone, so that nothing more need be said on it
   */
  async rollback(isLost = false): Promise<void> {
    if (this.#client === undefined) return
    const isUndone = !isLost && (await this.execute('rollback').then(Boolean, () => false))
    this.#giveBack(!isUndone)
  }

  /** Rows in batches, read as they are asked for. */
  async *batches(
    statement: Statement,
    values: RunValues,
    size: number,
  ): AsyncGenerator<readonly Row[]> {
    if (this.#client === undefined) throw new Error('The transaction has ended.')
    publish(statement.sql)
    const cursor = this.#client.query(
      new Cursor<unknown[]>(statement.sql, bound(statement, values), { rowMode: 'array' }),
    )
    try {
      for (;;) {
        const rows = await translated(() => cursor.read(size))
        if (rows.length > 0) yield rows
        if (rows.length < size) return
      }
    } finally {
      await cursor.close()
    }
  }

  #giveBack(broken = false): void {
    this.#client?.release(broken)
    this.#client = undefined
  }
}
