import pg, { type PoolClient } from 'pg'
import type { Row } from '../../plan/rows.ts'
import type { RunValues, Statement } from '../statement.ts'
import { Turns } from '../turns.ts'
import { PostgresConnection, publish, translated } from './postgres-connection.ts'
import { isLost, unavailable } from './postgres-errors.ts'
import type { PostgresOptions } from './postgres-options.ts'

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
  #cursors = 0
  #hasSavepoint = false
  readonly #turns = new Turns()

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
