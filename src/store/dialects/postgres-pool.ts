import pg, { type PoolClient } from 'pg'
import type { Row } from '../../plan/rows.ts'
import type { RunValues, Statement } from '../statement.ts'
import { Turns } from '../turns.ts'
import { PostgresConnection, publish, translated } from './postgres-connection.ts'
import { unavailable } from './postgres-errors.ts'

/** What may be said of a PostgreSQL database beside its address. */
export interface PostgresOptions {
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
    // A connection that breaks while nobody uses it is replaced when somebody does.
    this.#pool.on('error', () => {})
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
      await transaction.rollback()
      throw error
    }
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
  #cursors = 0
  #hasSavepoint = false
  readonly #turns = new Turns()

  constructor(client: PoolClient, keepsSessions: boolean) {
    super(client, keepsSessions)
    this.#client = client
  }

  /** Makes everything durable; when it throws, nobody knows. */
  async commit(): Promise<void> {
    const said = await this.execute('commit')
    if (said !== 'COMMIT')
      throw new Error(
        'A statement of the transaction failed and its error was caught; all is undone.',
      )
    this.#giveBack()
  }

  /** Undoes everything, if the transaction has not ended. */
  async rollback(): Promise<void> {
    if (this.#client === undefined) return
    const [result] = await Promise.allSettled([this.execute('rollback')])
    this.#giveBack(result.status === 'rejected')
  }

  /**
   * Runs a piece of work of which nothing is left when it throws, so that the transaction can go on. One after the other:
   * savepoints are nested.
   */
  guarded<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#turns.take(async () => {
      const before = this.#hasSavepoint ? 'release savepoint lapidary; ' : ''
      await this.execute(`${before}savepoint lapidary`)
      this.#hasSavepoint = true
      try {
        return await work()
      } catch (error) {
        await this.execute('rollback to savepoint lapidary')
        throw error
      }
    })
  }

  /** Rows in batches, read as they are asked for; whatever else is run meanwhile comes between two of them. */
  async *batches(
    { sql, placeholders }: Statement,
    values: RunValues,
    size: number,
  ): AsyncGenerator<readonly Row[]> {
    publish(sql)
    this.#cursors += 1
    const name = `lapidary_${this.#cursors}`
    await this.once({ sql: `declare ${name} no scroll cursor for ${sql}`, placeholders }, values)
    for (;;) {
      const rows = await this.once({ sql: `fetch ${size} from ${name}`, placeholders: [] })
      if (rows.length > 0) yield rows
      if (rows.length < size) break
    }
    await this.execute(`close ${name}`)
  }

  #giveBack(broken = false): void {
    this.#client?.release(broken)
    this.#client = undefined
  }
}
