import type { Row } from '../../plan/row-layout.ts'
import { Mutex } from '../mutex.ts'
import type { RunValues, Statement } from '../statement.ts'
import { execute, PostgresConnection, publish, type QueryExecutor } from './connection.ts'
import { disconnectedError, isConnectionLost, unavailableError } from './errors.ts'
import {
  type PostgresQuery,
  type PostgresResult,
  type RunningBatch,
  sendBatch,
} from './pipeline.ts'
import type { Session } from './session.ts'

const inDoubt =
  'The database went away while it made this write final, so it may have been kept or not'

/** How many rows a stream reads first, and at most, at a time. */
const [firstBatch, largestBatch] = [10, 200]
/** How many characters the rows of a batch may have. */
const batchLength = 250_000

/** How many characters a row has. */
function lengthOf(row: Row): number {
  let length = 0
  for (const value of row) if (typeof value === 'string') length += value.length
  return length
}

/** Begins a transaction that writes. */
export const beginWrite: readonly Statement[] = [
  { sql: 'begin isolation level read committed', placeholders: [] },
]

/** Begins a transaction that reads one moment. All rows of a cursor are read, so none is to come early at the cost of the others. */
export const beginSnapshot: readonly Statement[] = [
  { sql: 'begin isolation level repeatable read read only', placeholders: [] },
  { sql: 'set local cursor_tuple_fraction = 1', placeholders: [] },
]

/**
 * The same for a stream, which waits for its client between two batches: the server ends it when it has waited for too long.
 * @param patience - in milliseconds
 */
export function beginStream(patience: number): readonly Statement[] {
  const limit = `set local idle_in_transaction_session_timeout = ${patience}`
  return [...beginSnapshot, { sql: limit, placeholders: [] }]
}

/** Begins a transaction that changes the schema. */
export const beginMigration: readonly Statement[] = [{ sql: 'begin', placeholders: [] }]

/** How a transaction is run, beside what is done in it. */
export interface TransactionOptions {
  /** The statements that begin it. */
  readonly begin: readonly Statement[]
  /** Whether statements are kept by the server. */
  readonly prepares: boolean
  /** On which what the server does for it is stopped. */
  readonly signal?: AbortSignal | undefined
  /** Called once, when the connection is given back. */
  readonly onEnd?: (() => void) | undefined
}

/** A connection with a transaction on it, which begins with its first statement; it goes back to the pool with its end. */
export class PostgresTransaction extends PostgresConnection {
  readonly #line: TransactionExecutor
  readonly #options: TransactionOptions
  #session: Session | undefined
  #cursors = 0
  #hasSavepoint = false
  readonly #turns = new Mutex()
  readonly #stop = () => this.#line.stop()
  /** The server has ended the session, e.g. because its client was waited for too long: others can have its place. */
  readonly #lose = () => this.#giveBack(true)

  constructor(session: Session, options: TransactionOptions) {
    const { begin, prepares, signal } = options
    const line = new TransactionExecutor(session, begin, prepares)
    super(line, prepares)
    this.#line = line
    this.#options = options
    this.#session = session
    session.client.on('error', this.#lose)
    signal?.addEventListener('abort', this.#stop, { once: true })
    if (signal?.aborted) line.stop()
  }

  /**
   * Makes everything durable.
   * @throws HeaderError `unavailable` (503), which says so, when nobody can know whether it was
   */
  async commit(): Promise<void> {
    if (this.#line.hasBegun) {
      const said = await this.execute('commit').catch((error) => {
        throw isConnectionLost(error)
          ? unavailableError(inDoubt, error, 'look before you try again')
          : error
      })
      if (said !== 'COMMIT')
        throw new Error(
          'A statement of the transaction failed and its error was caught; all is undone.',
        )
    }
    this.#giveBack()
  }

  /**
   * Undoes everything, if the transaction has not ended.
   * @param isLost - whether the connection is known to be gone, so that nothing more need be said on it
   */
  async rollback(isLost = false): Promise<void> {
    if (this.#session === undefined) return
    const isOver = !this.#line.hasBegun
    const isUndone =
      isOver || (!isLost && (await this.execute('rollback').then(Boolean, () => false)))
    this.#giveBack(!isUndone)
  }

  /**
   * Runs a piece of work of which nothing is left when it throws, so that the transaction can go on. One after the other:
   * savepoints are nested.
   */
  withSavepoint<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#turns.run(async () => {
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

  /**
   * Rows in batches, read as they are asked for; whatever else is run meanwhile comes between two of them. A row may be
   * large, as it holds its linkage: so many are read as fit into a batch, if they are as large as the largest so far.
   */
  async *batches(
    { sql, placeholders }: Statement,
    values: RunValues,
  ): AsyncGenerator<readonly Row[]> {
    publish(sql)
    this.#cursors += 1
    const name = `lapidary_${this.#cursors}`
    await this.once({ sql: `declare ${name} no scroll cursor for ${sql}`, placeholders }, values)
    let [size, largest] = [firstBatch, 1]
    for (;;) {
      const rows = await this.once({ sql: `fetch ${size} from ${name}`, placeholders: [] })
      const isLast = rows.length < size
      for (const row of rows) largest = Math.max(largest, lengthOf(row))
      if (rows.length > 0) yield rows
      if (isLast) break
      size = Math.max(Math.min(largestBatch, 4 * size, Math.floor(batchLength / largest)), 1)
    }
    await this.execute(`close ${name}`)
  }

  #giveBack(broken = false): void {
    const session = this.#session
    if (session === undefined) return
    this.#session = undefined
    session.client.off('error', this.#lose)
    this.#options.signal?.removeEventListener('abort', this.#stop)
    session.release(broken)
    this.#options.onEnd?.()
  }
}

/** A statement that is about to be sent, and who waits for what it comes to. */
interface Waiting {
  readonly asked: PostgresQuery
  readonly resolve: (answer: PostgresResult) => void
  readonly reject: (error: unknown) => void
}

/**
 * Takes statements to the server on one connection. Those that are asked for without waiting for one another go together,
 * and those that begin the transaction go with the first: if they fail, nothing runs outside of it.
 */
class TransactionExecutor implements QueryExecutor {
  readonly #session: Session
  readonly #begin: readonly PostgresQuery[]
  #hasBegun = false
  #waiting: Waiting[] = []
  #isStopped = false
  #running: RunningBatch | undefined

  constructor(session: Session, begin: readonly Statement[], prepares: boolean) {
    this.#session = session
    this.#begin = begin.map((statement) => ({
      statement,
      values: { parameters: [] },
      isPrepared: prepares,
    }))
  }

  /** Whether the server knows of the transaction. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /** Has the server stop what runs; nothing more is read. */
  stop(): void {
    this.#isStopped = true
    this.#running?.cancel()
  }

  send(asked: PostgresQuery): Promise<PostgresResult> {
    if (this.#isStopped) return Promise.reject(disconnectedError())
    return new Promise((resolve, reject) => {
      // Once nothing more can be done without waiting.
      if (this.#waiting.length === 0) queueMicrotask(() => process.nextTick(() => this.#flush()))
      this.#waiting.push({ asked, resolve, reject })
    })
  }

  execute(text: string, patience?: number): Promise<string> {
    this.#flush()
    const begin = this.#beginning().map(({ statement }) => `${statement.sql}; `)
    return execute(this.#session, begin.join('') + text, patience)
  }

  #flush(): void {
    const waiting = this.#waiting
    if (waiting.length === 0) return
    this.#waiting = []
    if (this.#isStopped) {
      for (const { reject } of waiting) reject(disconnectedError())
      return
    }
    const begin = this.#beginning()
    const running = sendBatch(this.#session, [...begin, ...waiting.map(({ asked }) => asked)])
    this.#running = running
    running.result.then(
      ({ results, failure }) => {
        for (const [index, { resolve, reject }] of waiting.entries()) {
          const answer = results[begin.length + index]
          if (answer) resolve(answer)
          else reject(failure)
        }
      },
      (error) => {
        for (const { reject } of waiting) reject(error)
      },
    )
  }

  #beginning(): readonly PostgresQuery[] {
    const begin = this.#hasBegun ? [] : this.#begin
    this.#hasBegun = true
    return begin
  }
}
