import { performance } from 'node:perf_hooks'
import { LRUCache } from 'lru-cache'
import type { Awaitable } from '../../model/declare/hooks.ts'
import type { ReadPlan } from '../../plan/read.ts'
import type { CompleteRows, Rows } from '../../plan/read-result.ts'
import {
  executeReadSequence,
  type ReadSequenceStatements,
} from '../../sql/read/execute-read-sequence.ts'
import type { ExplainedStatement } from '../../sql/read/explain.ts'
import { runAsync, runSync } from '../../sql/read/query-sequence.ts'
import { listFollowingStatements } from '../../sql/read/read-sequence.ts'
import { runAfterHooks } from '../../sql/read/run-after-hooks.ts'
import { addAuth, createRunValues } from '../../sql/read/run-values.ts'
import { type QueryRequest, type StreamedRead, streamRows } from '../../sql/read/stream.ts'
import { createRowCompleter } from '../../sql/read/streamed-keys.ts'
import { checkResourceLimit, type ResourceLimit } from '../../sql/resource-limit.ts'
import { overloadedError } from '../../sql/semaphore.ts'
import type { RunStatement, Statement } from '../../sql/statement.ts'
import type { ReadOptions, RunQuery } from '../../sql/store.ts'
import { SqliteConnection } from '../connection/connection.ts'
import { ConnectionPool } from '../connection/connection-pool.ts'
import type { DatabaseFile } from '../connection/database-file.ts'
import { retryWhileLocked } from '../connection/retry-while-locked.ts'
import { isBusy, LargeResultError, LargeValueError } from '../errors.ts'
import type { SqliteOptions } from '../options.ts'
import { type KnownRead, ReadHistory, type RecordDuration } from '../readers/read-history.ts'
import { ReaderPool } from '../readers/reader-pool.ts'
import type { SqliteStatementsOf } from '../statements.ts'
import { explainSqliteRead } from '../verify/explain.ts'
import { SqliteCountCache } from './counts.ts'
import { readOne } from './read-one.ts'
import { createSqliteRunQuery, endOnError, type ReadTransaction } from './read-transaction.ts'

/** The dependencies of reads. */
interface ReadsContext {
  readonly statementsOf: SqliteStatementsOf
  /** The memory of the prepared statements of a connection that stays open, in bytes. */
  readonly statementCache: number
}

/** Where a transaction runs. */
interface Place {
  /** Whether it runs in this process. */
  readonly isHere: boolean
  /** Whether it may take so long that it leaves a reader process to the others. Default true. */
  readonly isLong?: boolean
  /** Whether each statement has a deadline of its own. Default false: the transaction has one. */
  readonly isStream?: boolean
  /** Receives the durations of its statements. Default: the history. */
  readonly record?: RecordDuration
}

/** A transaction in a reader process of which nothing is known. */
const elsewhere: Place = { isHere: false }

/** A connection of the pool has this part of the memory of one that stays open. */
const pooledShare = 1 / 4
const noOptions: ReadOptions = {}

/** The number of statements that are not those of a read whose durations are kept. */
const maxEvaluations = 100

/**
 * Chooses where a read of the last committed state runs:
 *
 * 1. A read that visits one row by its id, whatever is stored (`pointRead` is `one row`): at once, on the shared connection.
 * 2. One that is known to be quick (`ReadHistory.isQuick`): also at once on the shared connection, in a transaction unless it
 *    `isOneStatement`, as 1. always is. With hooks, which may wait: in a transaction on a connection of the pool.
 * 3. Any other: in a reader process, which can be killed, and which bounds what it returns (`readBounded`).
 *
 * What does not fit into memory is read again as a stream, on a connection of the pool or in a reader process, by the same rule.
 * `node bench/expensive-requests.ts` shows how long small requests take meanwhile (the table of `bench/RESULTS.md`).
 */
export class SqliteReads {
  readonly #file: DatabaseFile
  readonly #statementsOf: SqliteStatementsOf
  readonly #shared: SqliteConnection
  readonly #counts: SqliteCountCache
  readonly #pool: ConnectionPool
  readonly #readers: ReaderPool
  readonly #history: ReadHistory
  /** The statements that evaluate rules, by their SQL: they are compiled for each question. */
  readonly #evaluations = new LRUCache<string, Statement>({ max: maxEvaluations })
  readonly #timeout: number
  readonly #limit: ResourceLimit | undefined
  readonly #queueSize: number
  /** The number of reads that wait until no other process holds a lock. */
  #waiting = 0

  constructor(
    file: DatabaseFile,
    { statementsOf, statementCache }: ReadsContext,
    { timeout = 10_000, readers = 2, queueSize = 1000, maxResources }: SqliteOptions,
  ) {
    this.#file = file
    this.#statementsOf = statementsOf
    const shared = { statementCache, limitsValues: true }
    this.#shared = file.connect(() => new SqliteConnection(file.path, 'reader', shared))
    this.#counts = new SqliteCountCache(this.#shared)
    this.#pool = new ConnectionPool(file, statementCache * pooledShare)
    this.#readers = new ReaderPool(file, { readers, timeout, queueSize, statementCache })
    this.#history = new ReadHistory(this.#shared)
    this.#timeout = timeout
    this.#queueSize = queueSize
    this.#limit = maxResources === undefined ? undefined : { resources: maxResources }
  }

  /** Executes a read, as `Store.read`. */
  read(plan: ReadPlan, id: string | undefined, options: ReadOptions = noOptions): Awaitable<Rows> {
    try {
      return this.#read(plan, id, options)
    } catch (error) {
      if (!isBusy(error)) throw error
      return this.#waitForLock(() => this.#read(plan, id, options), options)
    }
  }

  /** Identifies the committed state, as `Store.readState`. */
  readState({ shape, identity }: ReadPlan): string | undefined {
    this.#file.verifyAtIntervals(performance.now())
    if (!this.#statementsOf(identity).showsRowsOnly(shape)) return undefined
    try {
      return String(this.#shared.version())
    } catch (error) {
      if (isBusy(error)) return undefined
      throw error
    }
  }

  /** Runs work that reads; again and again while another process holds a lock. */
  async #retryWhileLocked<Result>(
    work: () => Awaitable<Result>,
    options: ReadOptions,
  ): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error)) throw error
      return this.#waitForLock(work, options)
    }
  }

  async #waitForLock<Result>(
    work: () => Awaitable<Result>,
    { signal }: ReadOptions,
  ): Promise<Result> {
    if (this.#waiting >= this.#queueSize) throw overloadedError()
    this.#waiting += 1
    const wait = { signal, timeout: this.#timeout, isShared: true }
    try {
      return await retryWhileLocked(performance.now(), work, wait)
    } finally {
      this.#waiting -= 1
    }
  }

  #read(plan: ReadPlan, id: string | undefined, options: ReadOptions): Awaitable<Rows> {
    this.#file.verifyAtIntervals(performance.now())
    const statements = this.#statementsOf(plan.identity)
    const readSequence = statements.readSequence(plan.shape)
    const read = { plan, id, statements, readSequence }
    if (options.hooks !== undefined)
      return this.#readInTransaction(read, options, this.#isQuick(read))
    const rows = readSequence.isOneStatement ? this.#readOne(read) : this.#readShared(read)
    if (rows === 'not quick') return this.#readInTransaction(read, options, false)
    if (rows === 'too large') return this.#stream(plan, id, options)
    return this.#limit ? this.#checked(rows, plan) : rows
  }

  /** Runs a read and returns its statements with their plans. @throws NotFoundError, and `query_timeout` (503) */
  async explain(
    plan: ReadPlan,
    id: string | undefined,
    options: ReadOptions,
  ): Promise<ExplainedStatement[]> {
    this.#file.checkOpen()
    const statements = this.#statementsOf(plan.identity)
    const read = { plan, id, statements, readSequence: statements.readSequence(plan.shape) }
    const isLong = this.#history.isLong(toKnownRead(read))
    const place = { isLong, isStream: true, record: () => {} }
    return this.#retryLargeValues(this.#isQuick(read), async (isHere) => {
      const transaction = await this.#begin({ ...place, isHere }, options)
      const { hooks } = options
      const context = { transaction, statements, connection: this.#shared, hooks }
      return explainSqliteRead(context, plan, id)
    })
  }

  /**
   * Runs the statement that evaluates rules on resources: in this process if it is known to be quick.
   * @param work - what runs it
   */
  evaluate<Result>(
    statement: Statement,
    work: (run: RunStatement) => Promise<Result>,
    options: ReadOptions = noOptions,
  ): Promise<Result> {
    const known = this.#evaluations.get(statement.sql) ?? statement
    this.#evaluations.set(statement.sql, known)
    const query = { statement: known, values: { planValues: [] } }
    const record: RecordDuration = (_, duration) => this.#history.record(query, duration)
    return this.#retryWhileLocked(() => {
      const place = { isHere: this.#history.isQuick({ rows: query }), record }
      return this.run(work, place, options)
    }, options)
  }

  /** Runs work; again in a reader process if it reads a value that is too large for this one, where it cannot have changed anything. */
  async #retryLargeValues<Result>(
    isHere: boolean,
    work: (isHere: boolean) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work(isHere)
    } catch (error) {
      if (!(error instanceof LargeValueError)) throw error
      return work(false)
    }
  }

  /** Runs statements in one transaction. */
  async run<Result>(
    work: (run: RunStatement) => Promise<Result>,
    place = elsewhere,
    options: ReadOptions = noOptions,
  ): Promise<Result> {
    return this.#retryLargeValues(place.isHere, async (isHere) => {
      const transaction = await this.#begin({ ...place, isHere }, options)
      return endOnError(transaction, async () => {
        const result = await work(async (statement, values) =>
          transaction.query({ statement, values }),
        )
        transaction.end()
        return result
      })
    })
  }

  /** Runs SQL of the application, as `Store.snapshot`. Nothing is known of its duration, so it runs where it can be killed. */
  async snapshot<Result>(
    work: (query: RunQuery) => Promise<Result>,
    signal: (() => AbortSignal) | undefined,
  ): Promise<Result> {
    const transaction = await this.#begin(elsewhere, signal ? { signal } : noOptions)
    return endOnError(transaction, async () => {
      const result = await work(createSqliteRunQuery(transaction))
      transaction.end()
      return result
    })
  }

  /** Closes every connection and kills the reader processes. */
  close(): void {
    this.#readers.close()
    this.#pool.close()
    this.#shared.close()
  }

  /** Executes a read at once, if it is known to be quick. */
  #readShared(read: SequencedRead): SharedRead {
    const { plan, id, statements, readSequence } = read
    const known = toKnownRead(read)
    try {
      return this.#shared.snapshot(() => {
        if (!this.#history.isQuick(known)) return 'not quick'
        const queries = executeReadSequence({ statements, readSequence }, plan, id)
        const rows = this.#history.run(known, (measureCount) =>
          runSync(queries, (request) =>
            this.#counts.query(plan.identity ? authorize(request, plan) : request, measureCount),
          ),
        )
        return rows ?? 'too large'
      })
    } catch (error) {
      if (!(error instanceof LargeValueError)) throw error
      this.#history.suspect(known.rows.statement)
      return 'not quick'
    }
  }

  /** Looks up a row by its id. Its values may have any size. */
  #readOne(read: SequencedRead): CompleteRows | 'not quick' {
    const { readSequence, plan, id } = read
    const lookUp = (): CompleteRows => {
      try {
        return readOne(this.#shared, readSequence, plan, id)
      } catch (error) {
        if (!(error instanceof LargeValueError)) throw error
        return this.#shared.withLargeValues(() => readOne(this.#shared, readSequence, plan, id))
      }
    }
    if (visitsOneRow(read)) return lookUp()
    const known = toKnownRead(read)
    return this.#history.isQuick(known) ? this.#history.run(known, lookUp) : 'not quick'
  }

  #isQuick(read: SequencedRead): boolean {
    return visitsOneRow(read) || this.#history.isQuick(toKnownRead(read))
  }

  /** Executes a read, with its hooks, in a transaction on a connection of its own. */
  async #readInTransaction(
    read: SequencedRead,
    options: ReadOptions,
    isQuick: boolean,
  ): Promise<Rows> {
    const known = toKnownRead(read)
    // Hooks take time of their own, and with hooks the transaction may become a stream. So each statement has its own deadline.
    const place = { isLong: this.#history.isLong(known), isStream: options.hooks !== undefined }
    const { plan, id } = read
    const rows = await this.#retryLargeValues(isQuick, async (isHere) => {
      this.#file.checkOpen()
      const { record, end } = this.#history.measureRead(known)
      const transaction = await this.#begin({ ...place, isHere, record }, options)
      return endOnError(transaction, () => this.#readIn(transaction, read, options)).finally(end)
    })
    return rows ? this.#checked(rows, plan) : this.#stream(plan, id, options)
  }

  /** @returns `undefined` if it has to be streamed */
  async #readIn(
    transaction: ReadTransaction,
    read: SequencedRead,
    { hooks }: ReadOptions,
  ): Promise<Rows | undefined> {
    const { plan, id } = read
    const runQuery = createSqliteRunQuery(transaction)
    await hooks?.before(runQuery)
    const complete = await readBounded(transaction, read)
    if (complete === undefined && hooks)
      return streamRows(transaction, {
        ...this.#streamedRead(transaction, plan, id),
        afterBatch: (batch, layout) => hooks.after(batch, layout, runQuery),
      })
    if (complete && hooks) await runAfterHooks(hooks, complete, plan, runQuery)
    transaction.end()
    return complete
  }

  async #stream(plan: ReadPlan, id: string | undefined, options: ReadOptions): Promise<Rows> {
    const { rows, count, includedRows } = this.#statementsOf(plan.identity).streamedRead(plan.shape)
    const statements = [rows, ...(plan.shape.isPaged ? [count] : []), ...includedRows()]
    const queries = statements.map((statement) => ({
      statement,
      values: createRunValues(plan, id),
    }))
    const isHere = await this.#retryWhileLocked(
      () => this.#history.areQuickStreams(queries),
      options,
    )
    return this.#retryLargeValues(isHere, async (isHere) => {
      const transaction = await this.#begin({ isHere, isStream: true }, options)
      return endOnError(transaction, () =>
        streamRows(transaction, this.#streamedRead(transaction, plan, id)),
      )
    })
  }

  #streamedRead(
    transaction: ReadTransaction,
    plan: ReadPlan,
    id: string | undefined,
  ): StreamedRead {
    const statements = this.#statementsOf(plan.identity)
    return {
      plan,
      compiled: statements.streamedRead(plan.shape),
      values: createRunValues(plan, id),
      completeRows: createRowCompleter(statements, plan, async (statement, lookup) =>
        transaction.query({ statement, values: lookup }),
      ),
      limit: this.#limit,
    }
  }

  #begin(
    { isHere, isLong = true, isStream = false, record = this.#history.record }: Place,
    { signal }: ReadOptions,
  ): Promise<ReadTransaction> {
    return isHere
      ? this.#pool.begin({ timeout: this.#timeout, signal: signal?.(), record })
      : this.#readers.begin({ isStream, isLong, signal: signal?.(), record })
  }

  /** @throws ParameterError `too_many_resources` (400) */
  #checked(rows: Rows, plan: ReadPlan): Rows {
    if (this.#limit && rows.is === 'complete') checkResourceLimit(rows, plan, this.#limit)
    return rows
  }
}

/** The result of a read on the shared connection. */
type SharedRead = CompleteRows | 'not quick' | 'too large'

/** Whether a read visits one row, whatever the size of the database. */
function visitsOneRow({ readSequence }: SequencedRead): boolean {
  return readSequence.read.rows.pointRead === 'one row'
}

/** Returns what the history knows a read by. */
function toKnownRead({ plan, id, readSequence }: SequencedRead): KnownRead {
  const { boundedRows, count } = readSequence.read
  const values = createRunValues(plan, id)
  return {
    rows: { statement: boundedRows, values },
    count: plan.page && { statement: count, values },
    others: () => [...listFollowingStatements(readSequence), ...readSequence.byIds.values()],
  }
}

/** A read and its compiled statements. */
interface SequencedRead extends ReadSequenceStatements {
  readonly plan: ReadPlan
  /** The id in the path. */
  readonly id: string | undefined
}

/** Executes a read in a transaction. @returns `undefined` when its document does not fit into memory */
async function readBounded(
  transaction: ReadTransaction,
  { plan, id, statements, readSequence }: SequencedRead,
): Promise<CompleteRows | undefined> {
  try {
    const queries = executeReadSequence({ statements, readSequence }, plan, id)
    return await runAsync(queries, (request) =>
      transaction.query({ ...authorize(request, plan), isBounded: true }),
    )
  } catch (error) {
    if (error instanceof LargeResultError) return undefined
    throw error
  }
}

/** Adds the auth context of a read to one of its queries. */
function authorize(request: QueryRequest, { identity }: ReadPlan): QueryRequest {
  if (identity === undefined) return request
  return { ...request, values: addAuth(request.values, identity) }
}
