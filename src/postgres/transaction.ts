import type { DatabaseSource, RunningStatement } from '../observe/events.ts'
import type { Row } from '../plan/row-layout.ts'
import { ConstraintError, disconnectedError } from '../sql/errors.ts'
import { countCharacters } from '../sql/read/document-budget.ts'
import { Mutex } from '../sql/semaphore.ts'
import type { RunValues, Statement } from '../sql/statement.ts'
import { loadRows, publishStatement } from '../sql/statement-values.ts'
import type { CommitNext } from '../sql/write/steps.ts'
import { executeText, PostgresConnection, type QueryExecutor } from './connection/connection.ts'
import {
  type PostgresQuery,
  type PostgresResult,
  type RunningBatch,
  sendBatch,
} from './connection/pipeline.ts'
import type { Session } from './connection/session.ts'
import type { SessionSetup } from './connection/session-setup.ts'
import { isConnectionLost, translateSessionError, unknownCommitError } from './errors.ts'

/** The rows of the first batch of a stream. */
const firstBatchSize = 10
/** The rows of the largest batch, if all are short, and if one after short ones may be long: all rows of a batch are in memory. */
const [maxShortRows, maxLongRows] = [200, 50]
/** The characters of a batch, approximately. */
const maxBatchLength = 250_000

/** Begins a write transaction. */
export const beginWrite: readonly Statement[] = [
  { sql: 'begin isolation level read committed', placeholders: [] },
]

/** Begins a read transaction, which sees one snapshot. All rows of a cursor are read, so its plan is not made for the first rows. */
export const beginSnapshot: readonly Statement[] = [
  { sql: 'begin isolation level repeatable read read only', placeholders: [] },
  { sql: 'set local cursor_tuple_fraction = 1', placeholders: [] },
]

/**
 * Begins a read transaction for a stream, which waits for its client between two batches.
 * @param idleTimeout - when PostgreSQL ends a waiting transaction, in milliseconds
 */
export function beginStream(idleTimeout: number): readonly Statement[] {
  return [...beginSnapshot, limitIdleTime(idleTimeout)]
}

/** Limits how long the transaction may wait between two statements, in milliseconds. */
export function limitIdleTime(idleTimeout: number): Statement {
  const limit = `set local idle_in_transaction_session_timeout = ${idleTimeout}`
  return { sql: limit, placeholders: [] }
}

/** Begins a transaction that changes the schema. */
export const beginMigration: readonly Statement[] = [{ sql: 'begin', placeholders: [] }]

/** The options of a transaction. */
export interface TransactionOptions {
  /** The statements that begin it. */
  readonly begin: readonly Statement[]
  /** Runs after these, for a transaction of a request in a model with the option `session`. */
  readonly setup?: SessionSetup | undefined
  /** Whether the server may keep prepared statements. */
  readonly prepares: boolean
  /** Cancels the running statement, and every later one. */
  readonly signal?: AbortSignal | undefined
  /** What a read needs to continue as a stream; absent if it is one. */
  readonly stream?: StreamAdmission | undefined
}

/** What a transaction needs to continue as a stream. */
interface StreamAdmission {
  /** @throws HttpError `overloaded` (503) when there are too many streams */
  readonly admit: (session: Session) => void
  /** Limits how long the transaction waits for its client. */
  readonly limitIdleTime: Statement
}

/** A transaction. It begins with its first statement; its end releases the connection. */
export class PostgresTransaction extends PostgresConnection {
  readonly #executor: TransactionExecutor
  readonly #options: TransactionOptions
  #session: Session | undefined
  #cursors = 0
  #hasSavepoint = false
  /** Whether a statement that nothing waits for violates a constraint, which is no error of the client. */
  #unawaited: Promise<boolean> | undefined
  readonly #savepointMutex = new Mutex()
  readonly #handleAbort = () => this.#executor.stop()
  /** The server has ended the session, e.g. after the timeout of an idle transaction. */
  readonly #handleLoss = () => this.#release(true)

  constructor(session: Session, options: TransactionOptions) {
    const { setup, signal } = options
    const prepares = options.prepares && !setup?.setsSearchPath
    const executor = new TransactionExecutor(session, options)
    super(executor, prepares)
    this.#executor = executor
    this.#options = options
    this.#session = session
    session.client.on('error', this.#handleLoss)
    signal?.addEventListener('abort', this.#handleAbort, { once: true })
    if (signal?.aborted) executor.stop()
  }

  /** Runs a statement of the engine whose result nothing waits for. If it fails, so does the commit. */
  runUnawaited(statement: Statement, values: RunValues): void {
    this.#unawaited = this.run(statement, values).then(
      () => false,
      (error: unknown) => error instanceof ConstraintError,
    )
  }

  /**
   * Commits the transaction.
   * @throws HttpError `unavailable` (503) when the connection is lost, so that it is unknown whether it was committed
   */
  async commit(): Promise<void> {
    if (this.#executor.hasBegun) {
      const commandTag = await this.#executor.commit().catch(async (error: unknown) => {
        if (isConnectionLost(error)) throw unknownCommitError(error)
        throw (await this.#unawaited)
          ? new Error('A statement of the engine failed.', { cause: error })
          : error
      })
      checkCommitted(commandTag)
    }
    this.#release()
  }

  /**
   * Commits in one round trip with the statements that are sent next, which are the only ones of the transaction; `commit` then only
   * releases the connection.
   * @param findFailure - called when everything that does not wait for the server has run; if it returns a failure, nothing is sent
   * @throws HttpError `unavailable` (503) as `commit` does; what the statements before it throw
   */
  commitNext(findFailure: Parameters<CommitNext>[0]): Promise<void> {
    return this.#executor.commitNext(findFailure)
  }

  /**
   * Continues a read as a stream, which waits for its client.
   * @throws HttpError `overloaded` (503) when there are too many streams: to wait would occupy one more connection
   */
  async continueAsStream(): Promise<void> {
    const { stream } = this.#options
    if (stream === undefined || this.#session === undefined) return
    stream.admit(this.#session)
    await this.allUnprepared(stream.limitIdleTime)
  }

  /**
   * Rolls the transaction back, if it has not ended.
   * @param isLost - whether the connection is lost, so that nothing can be sent
   */
  async rollback(isLost = false): Promise<void> {
    if (this.#session === undefined) return
    const isUsable =
      !isLost &&
      (!this.#executor.hasBegun || (await this.execute('rollback').then(Boolean, () => false)))
    this.#release(!isUsable)
  }

  /**
   * Runs work after a savepoint. If the work fails, it is rolled back and the transaction can continue. Works run
   * sequentially, because savepoints are nested.
   */
  withSavepoint<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#savepointMutex.run(async () => {
      const release = this.#hasSavepoint ? 'release savepoint lapidary; ' : ''
      await this.execute(`${release}savepoint lapidary`)
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
   * Runs work after a savepoint of its own; if it fails, it is rolled back and the transaction can continue. The work may call
   * `withSavepoint`. The savepoint is sent together with the first statements of the work, and costs no round trip.
   */
  async nest<Result>(work: () => Promise<Result>): Promise<Result> {
    const hadSavepoint = this.#hasSavepoint
    this.#hasSavepoint = false
    const begun = this.#send('savepoint lapidary_nested')
    try {
      const [result] = await Promise.all([work(), begun])
      void this.#send('release savepoint lapidary_nested')
      return result
    } catch (error) {
      // If it fails, so does every later statement, and the commit.
      await this.#send('rollback to savepoint lapidary_nested')
      void this.#send('release savepoint lapidary_nested')
      throw error
    } finally {
      this.#hasSavepoint = hadSavepoint
    }
  }

  /** Sends a statement with the next batch. An error is not thrown: it makes the statements after it fail. */
  #send(sql: string): Promise<unknown> {
    return this.allUnprepared({ sql, placeholders: [] }).catch(() => {})
  }

  /**
   * Yields the rows of a cursor in batches; each batch is read when it is requested. Other statements may run in between. A
   * row may be large because of its linkage, so the size of a batch depends on the largest row so far.
   * @param hasShortRows - a statement that returns whether all values of a row are stored in it
   */
  async *batches(
    statement: Statement,
    values: RunValues,
    hasShortRows: Statement,
  ): AsyncGenerator<readonly Row[]> {
    const running = publishStatement(statement, this.#executor.source)
    this.#cursors += 1
    const cursor: Cursor = { name: `lapidary_${this.#cursors}`, running, hasShortRows }
    try {
      yield* this.#readCursor(cursor, statement, values)
    } finally {
      running?.endBatches()
    }
  }

  async *#readCursor(
    cursor: Cursor,
    { sql, placeholders, load }: Statement,
    values: RunValues,
  ): AsyncGenerator<readonly Row[]> {
    const declare = { sql: `declare ${cursor.name} no scroll cursor for ${sql}`, placeholders }
    let [size, maxLength] = [firstBatchSize, 1]
    // One round trip.
    const [, [isShort], first] = await Promise.all([
      this.allUnprepared(declare, values),
      this.allUnprepared(cursor.hasShortRows),
      this.#fetch(cursor, size),
    ])
    let rows = first
    const maxSize = isShort?.[0] === true ? maxShortRows : maxLongRows
    for (;;) {
      const isLast = rows.length < size
      for (const row of rows) maxLength = Math.max(maxLength, countCharacters(row))
      // No other code has a reference to the rows, so their values can be replaced in place.
      if (rows.length > 0) yield loadRows(rows as unknown[][], load)
      if (isLast) break
      size = Math.max(Math.min(maxSize, 4 * size, Math.floor(maxBatchLength / maxLength)), 1)
      rows = await this.#fetch(cursor, size)
    }
    await this.execute(`close ${cursor.name}`)
  }

  async #fetch({ name, running }: Cursor, size: number): Promise<readonly Row[]> {
    const startedAt = running && performance.now()
    const fetch = { sql: `fetch ${size} from ${name}`, placeholders: [] }
    const rows = await this.allUnprepared(fetch)
    if (startedAt !== undefined) running?.addBatch(rows.length, performance.now() - startedAt)
    return rows
  }

  #release(isBroken = false): void {
    const session = this.#session
    if (session === undefined) return
    this.#session = undefined
    session.client.off('error', this.#handleLoss)
    this.#options.signal?.removeEventListener('abort', this.#handleAbort)
    session.release(isBroken)
  }
}

/** A cursor of a transaction. */
interface Cursor {
  readonly name: string
  /** Receives the durations of its batches; absent while nobody listens. */
  readonly running: RunningStatement | undefined
  /** Returns whether all values of a row are stored in it. */
  readonly hasShortRows: Statement
}

/** @throws Error if a transaction was rolled back: PostgreSQL answers `ROLLBACK` to the commit of a failed one */
const commitQuery: PostgresQuery = {
  statement: { sql: 'commit', placeholders: [] },
  values: { planValues: [] },
  isPrepared: false,
}

function checkCommitted(commandTag: string): void {
  if (commandTag !== 'COMMIT')
    throw new Error(
      'A statement of the transaction failed and its error was caught; the transaction was rolled back.',
    )
}

/** A query that is not sent yet. */
interface Waiting {
  readonly query: PostgresQuery
  readonly resolve: (result: PostgresResult) => void
  readonly reject: (error: unknown) => void
}

/** A commit that is sent with the next batch. */
interface WaitingCommit {
  readonly findFailure: Parameters<CommitNext>[0]
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Sends the queries of a transaction. Queries that are sent without awaiting go in one batch (`pipeline.ts`). The first batch
 * starts with the statements that begin the transaction: if they fail, nothing runs outside of it. A batch that is the whole transaction
 * needs neither these nor a commit: PostgreSQL commits it at its end, or rolls it back if a statement fails.
 */
class TransactionExecutor implements QueryExecutor {
  readonly source: DatabaseSource
  readonly #session: Session
  readonly #beginQueries: readonly PostgresQuery[]
  readonly #setupQueries: readonly PostgresQuery[]
  #hasBegun = false
  #waiting: Waiting[] = []
  #isStopped = false
  /** The commit that is about to be sent. */
  #commit: WaitingCommit | undefined
  /** Whether its commit was sent, or is about to be. */
  #isEnded = false
  #running: RunningBatch | undefined

  constructor(session: Session, { begin, setup, prepares }: TransactionOptions) {
    this.source = session.limits.source
    this.#session = session
    const values = { planValues: [] }
    this.#setupQueries = setup ? [{ ...setup, isPrepared: prepares }] : []
    this.#beginQueries = begin.map((statement) => ({ statement, values, isPrepared: prepares }))
  }

  /** Whether the transaction has begun on the server, or begins with what waits. */
  get hasBegun(): boolean {
    return this.#hasBegun || this.#waiting.length > 0
  }

  /** Cancels the running batch, and rejects every later query. */
  stop(): void {
    this.#isStopped = true
    this.#running?.cancel()
  }

  send(query: PostgresQuery): Promise<PostgresResult> {
    if (this.#isStopped) return Promise.reject(disconnectedError())
    // It would run outside of any transaction.
    if (this.#isEnded) return Promise.reject(new Error('The transaction has been committed.'))
    return new Promise((resolve, reject) => {
      this.#flushSoon()
      this.#waiting.push({ query, resolve, reject })
    })
  }

  /** Makes the next batch the whole transaction, unless something has failed when it would be sent. */
  commitNext(findFailure: Parameters<CommitNext>[0]): Promise<void> {
    if (this.#hasBegun) throw new Error('A transaction that has begun is not one batch.')
    return new Promise((resolve, reject) => {
      this.#flushSoon()
      this.#commit = { findFailure, resolve, reject }
      this.#isEnded = true
    })
  }

  /**
   * Sends what waits after all microtasks: everything that does not wait for the server has sent its queries then. Queries that are sent
   * after awaiting anything else, e.g. a timer or a file, go with the next batch: one more round trip.
   */
  #flushSoon(): void {
    if (this.#waiting.length === 0) queueMicrotask(() => process.nextTick(() => this.#flush()))
  }

  /** Commits, in one batch with what waits. @returns the command tag */
  async commit(): Promise<string> {
    if (this.#waiting.length === 0) return this.execute('commit')
    const { tag } = await this.send(commitQuery)
    return tag
  }

  execute(text: string, timeout?: number): Promise<string> {
    this.#flush()
    if (this.#setupQueries.length > 0 && !this.#hasBegun)
      return this.#executeAfterSetup(text, timeout)
    const begin = this.#takeBeginQueries().map(({ statement }) => `${statement.sql}; `)
    return executeText(this.#session, begin.join('') + text, timeout)
  }

  /** The setup has parameters, which text cannot have. If it fails, so does the text, because the transaction is aborted. */
  async #executeAfterSetup(text: string, timeout: number | undefined): Promise<string> {
    const { result } = sendBatch(this.#session, this.#takeBeginQueries())
    const begun = result.then(({ failure }) => {
      if (failure !== undefined) throw this.#translate(failure, false)
    })
    const [, tag] = await Promise.all([begun, executeText(this.#session, text, timeout)])
    return tag
  }

  #flush(): void {
    const [waiting, commit] = [this.#waiting, this.#commit]
    this.#waiting = []
    this.#commit = undefined
    if (waiting.length === 0 && commit === undefined) return
    const rejectAll = (error: unknown) => {
      for (const { reject } of waiting) reject(error)
      commit?.reject(error)
    }
    const failed = this.#isStopped ? { error: disconnectedError() } : commit?.findFailure()
    if (failed) {
      rejectAll(failed.error)
      return
    }
    const begin = commit ? this.#setupQueries : this.#takeBeginQueries()
    const queries = [...begin, ...waiting.map(({ query }) => query)]
    const running = sendBatch(this.#session, queries, commit !== undefined)
    this.#running = running
    running.result.then(({ results, failure }) => {
      const translated = failure && this.#translate(failure, results.length >= begin.length)
      for (const [index, { resolve, reject }] of waiting.entries()) {
        const result = results[begin.length + index]
        if (result) resolve(result)
        else reject(translated)
      }
      if (failure === undefined) commit?.resolve()
      else commit?.reject(translated)
    }, rejectAll)
  }

  #translate(failure: unknown, isSetUp: boolean): unknown {
    return this.#setupQueries.length > 0 ? translateSessionError(failure, isSetUp) : failure
  }

  /** Returns the statements that begin the transaction, the first time. */
  #takeBeginQueries(): readonly PostgresQuery[] {
    const queries = this.#hasBegun ? [] : [...this.#beginQueries, ...this.#setupQueries]
    this.#hasBegun = true
    return queries
  }
}
