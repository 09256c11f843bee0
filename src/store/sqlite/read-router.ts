import { performance } from 'node:perf_hooks'
import type { Awaitable } from '../../model/hooks.ts'
import type { ReadPlan } from '../../plan/read.ts'
import type { CompleteRows, Rows } from '../../plan/read-result.ts'
import type { Row } from '../../plan/row-layout.ts'
import { fitsMemory } from '../count-characters.ts'
import type { ExplainedStatement } from '../explain.ts'
import { checkResourceLimit, type ResourceLimit } from '../resource-limit.ts'
import { runAfterHooks } from '../run-after-hooks.ts'
import { createRunValues } from '../run-values.ts'
import { overloadedError } from '../semaphore.ts'
import type { RunStatement, Statement } from '../statement.ts'
import type { ReadOptions, RunQuery } from '../store.ts'
import { type StreamedRead, streamRows } from '../stream.ts'
import { createRowCompleter } from '../streamed-keys.ts'
import { SqliteConnection } from './connection.ts'
import { ConnectionPool } from './connection-pool.ts'
import { CostModel } from './cost-model.ts'
import { SqliteCountCache } from './counts.ts'
import type { DatabaseFile } from './database-file.ts'
import { isBusy } from './errors.ts'
import { explainSqliteRead } from './explain.ts'
import type { FullRead } from './full-read.ts'
import { LargeValueError } from './large-values.ts'
import type { SqliteOptions } from './options.ts'
import { runSync } from './query-sequence.ts'
import { executeFullRead, readPoint } from './read.ts'
import { authorize, type CompiledFullRead, readBounded } from './read-bounded.ts'
import { maxInProcessDuration, type ReadCost } from './read-cost.ts'
import { createSqliteRunQuery, endOnError, type ReadTransaction } from './read-transaction.ts'
import { ReaderPool } from './reader-pool.ts'
import { retryWhileLocked } from './retry-while-locked.ts'
import type { SqliteStatements, SqliteStatementsOf } from './statements.ts'

/** The dependencies of reads. */
interface ReadRouterContext {
  readonly statementsOf: SqliteStatementsOf
  /** The memory of the prepared statements of a connection that stays open, in bytes. */
  readonly statementCache: number
}

/** A read, its compiled statements and its estimated duration in milliseconds. */
interface EstimatedRead extends CompiledFullRead {
  readonly cost: ReadCost
  readonly estimate: number
}

/** How statements run that are not those of a read. */
interface RunOptions extends ReadOptions {
  /** The estimated duration, in milliseconds. Default: unknown. */
  readonly estimate?: number
  /** What the estimate was made of, and what is recorded of the statement; absent: nothing is. */
  readonly cost?: ReadCost
}

/** A connection of the pool has this part of the memory of one that stays open. */
const pooledShare = 1 / 4
const noOptions: ReadOptions = {}

/** The estimate of SQL of the application, in milliseconds: it leaves a reader process to shorter reads. */
const unknownDuration = Number.POSITIVE_INFINITY

/**
 * Chooses where a read of the last committed state runs. A cheap read runs at once on the shared connection. An expensive read
 * runs in a reader process, which can be killed. A cheap stream, and a cheap read with hooks, run on a connection of the pool.
 * `node bench/expensive-requests.ts` shows how long small requests take meanwhile (the table of `bench/RESULTS.md`).
 */
export class ReadRouter {
  readonly #file: DatabaseFile
  readonly #statementsOf: SqliteStatementsOf
  readonly #shared: SqliteConnection
  readonly #counts: SqliteCountCache
  readonly #pool: ConnectionPool
  readonly #readers: ReaderPool
  readonly #costs: CostModel
  readonly #timeout: number
  readonly #limit: ResourceLimit | undefined
  readonly #queueSize: number
  /** The number of reads that wait until no other process holds a lock. */
  #waiting = 0

  constructor(
    file: DatabaseFile,
    { statementsOf, statementCache }: ReadRouterContext,
    { timeout = 10_000, readers = 2, queueSize = 1000, maxResources }: SqliteOptions,
  ) {
    this.#file = file
    this.#statementsOf = statementsOf
    const shared = { statementCache, limitsValues: true }
    this.#shared = file.connect(() => new SqliteConnection(file.path, 'reader', shared))
    this.#counts = new SqliteCountCache(this.#shared)
    this.#pool = new ConnectionPool(file, statementCache * pooledShare)
    this.#readers = new ReaderPool(file, { readers, timeout, queueSize, statementCache })
    this.#costs = new CostModel(this.#shared)
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
    const now = performance.now()
    this.#file.verifyAtIntervals(now)
    const statements = this.#statementsOf(plan.identity)
    const fullRead = statements.fullRead(plan.shape)
    const cost = this.#costs.ofFullRead(fullRead, plan.shape, statements.target)
    if (options.hooks !== undefined) this.#costs.expireSizesIfGrown(cost)
    const estimate = this.#costs.estimate(cost, plan, now)
    if (options.hooks !== undefined || estimate > maxInProcessDuration)
      return this.#readInTransaction({ plan, id, statements, fullRead, cost, estimate }, options)
    const rows = fullRead.isPointRead
      ? this.#readPoint(fullRead, plan, id)
      : this.#readShared({ statements, fullRead }, plan, { id, cost, start: now })
    if (rows === 'underestimated') return this.#read(plan, id, options)
    if (rows === undefined) return this.#stream(plan, id, options, estimate)
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
    const fullRead = statements.fullRead(plan.shape)
    const cost = this.#costs.ofFullRead(fullRead, plan.shape, statements.target)
    const estimate = this.#costs.estimate(cost, plan, performance.now())
    return this.#retryLargeValues(estimate, async (duration) => {
      const transaction = await this.#begin(duration, true, options)
      const { hooks } = options
      const context = { transaction, statements, connection: this.#shared, hooks }
      return explainSqliteRead(context, plan, id)
    })
  }

  /**
   * Runs the statement that evaluates rules on resources of a type: in this process if it is cheap.
   * @param work - what runs it
   */
  evaluate<Result>(
    { statement, type }: Readonly<{ statement: Statement; type: string }>,
    work: (run: RunStatement) => Promise<Result>,
    options: ReadOptions = noOptions,
  ): Promise<Result> {
    return this.#retryWhileLocked(() => {
      const cost = this.#costs.ofStatement(statement, type)
      this.#costs.expireSizesIfGrown(cost)
      const estimate = this.#costs.estimate(cost, { page: undefined }, performance.now())
      return this.run(work, { ...options, estimate, cost })
    }, options)
  }

  /** Runs work; again in a reader process if it reads a value that is too large for this one, where it cannot have changed anything. */
  async #retryLargeValues<Result>(
    estimate: number,
    work: (estimate: number) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work(estimate)
    } catch (error) {
      if (!(error instanceof LargeValueError)) throw error
      return work(unknownDuration)
    }
  }

  /** Runs statements in one transaction. */
  async run<Result>(
    work: (run: RunStatement) => Promise<Result>,
    { estimate: known = unknownDuration, cost, ...options }: RunOptions = {},
  ): Promise<Result> {
    return this.#retryLargeValues(known, async (estimate) => {
      const transaction = await this.#begin(estimate, false, options)
      return endOnError(transaction, async () => {
        const result = await work(async (statement, values) => {
          const query = () => transaction.query({ statement, values })
          return cost && estimate <= maxInProcessDuration ? this.#observe(cost, query) : query()
        })
        transaction.end()
        return result
      })
    })
  }

  /** Runs a statement that was estimated as cheap in this process, and records whether it was. */
  #observe(cost: ReadCost, query: () => Awaitable<readonly Row[]>): Awaitable<readonly Row[]> {
    const start = performance.now()
    const cpuStart = cost.observed.isSuspect ? process.threadCpuUsage() : undefined
    try {
      const rows = query()
      this.#costs.recordDuration(cost, start, cpuStart)
      return rows
    } catch (error) {
      if (error instanceof LargeValueError) this.#costs.recordLargeValue(cost, start)
      throw error
    }
  }

  /** Runs SQL of the application, as `Store.snapshot`. Its duration cannot be estimated, so it runs where it can be killed. */
  async snapshot<Result>(
    work: (query: RunQuery) => Promise<Result>,
    signal: (() => AbortSignal) | undefined,
  ): Promise<Result> {
    const transaction = await this.#readers.begin({
      isStream: false,
      estimate: unknownDuration,
      signal: signal?.(),
    })
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

  /** Executes a cheap read at once. @returns `undefined` when it has to be streamed */
  #readShared(
    full: Readonly<{ statements: SqliteStatements; fullRead: FullRead }>,
    plan: ReadPlan,
    { id, cost, start }: Readonly<{ id: string | undefined; cost: ReadCost; start: number }>,
  ): CompleteRows | undefined | 'underestimated' {
    const cpuStart = cost.observed.isSuspect ? process.threadCpuUsage() : undefined
    const queries = executeFullRead(full, plan, id)
    try {
      const rows = this.#shared.snapshot(() =>
        this.#costs.expireSizesIfGrown(cost)
          ? 'underestimated'
          : runSync(queries, (request) => this.#counts.query(authorize(request, plan))),
      )
      this.#costs.recordDuration(cost, start, cpuStart)
      if (rows === undefined || rows === 'underestimated') return rows
      return fitsMemory(rows, full.fullRead.longPositions) ? rows : undefined
    } catch (error) {
      if (!(error instanceof LargeValueError)) throw error
      this.#costs.recordLargeValue(cost, start)
      return 'underestimated'
    }
  }

  /** Looks up a row by its id. Its values may have any size. */
  #readPoint(fullRead: FullRead, plan: ReadPlan, id: string | undefined): CompleteRows {
    try {
      return readPoint(this.#shared, fullRead, plan, id)
    } catch (error) {
      if (!(error instanceof LargeValueError)) throw error
      return this.#shared.withLargeValues(() => readPoint(this.#shared, fullRead, plan, id))
    }
  }

  /** Executes a read, with its hooks, in a transaction on a connection of its own. */
  async #readInTransaction(read: EstimatedRead, options: ReadOptions): Promise<Rows> {
    try {
      return await this.#tryInTransaction(read, options)
    } catch (error) {
      this.#file.checkOpen()
      if (!(error instanceof LargeValueError)) throw error
      // The transaction was in this process, where its hooks cannot have changed anything.
      this.#costs.recordLargeValue(read.cost, performance.now())
      return this.#tryInTransaction({ ...read, estimate: unknownDuration }, options)
    }
  }

  async #tryInTransaction(read: EstimatedRead, options: ReadOptions): Promise<Rows> {
    const { plan, id, estimate } = read
    const { hooks } = options
    // Hooks take time of their own, and with hooks the transaction may become a stream. So each statement has its own deadline.
    const isStream = hooks !== undefined
    const transaction = await this.#begin(estimate, isStream, options)
    const rows = await endOnError(transaction, async () => {
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
    })
    return rows ? this.#checked(rows, plan) : this.#stream(plan, id, options, estimate)
  }

  /** @param knownEstimate - that of the full read, in milliseconds */
  async #stream(
    plan: ReadPlan,
    id: string | undefined,
    options: ReadOptions,
    knownEstimate: number,
  ): Promise<Rows> {
    const { cost, estimate } = await this.#retryWhileLocked(() => {
      const cost = this.#costs.ofStream(plan.shape, this.#statementsOf(plan.identity))
      this.#costs.expireSizesIfGrown(cost)
      return { cost, estimate: this.#costs.estimate(cost, plan, performance.now()) }
    }, options)
    const begin = async (duration: number) => {
      const transaction = await this.#begin(duration, true, options)
      return endOnError(transaction, () =>
        streamRows(transaction, this.#streamedRead(transaction, plan, id)),
      )
    }
    // The first batch shows nothing of the values that a search meets later.
    const duration = cost.searchesValues ? unknownDuration : Math.max(estimate, knownEstimate)
    return this.#retryLargeValues(duration, begin)
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

  #begin(estimate: number, isStream: boolean, { signal }: ReadOptions): Promise<ReadTransaction> {
    return estimate > maxInProcessDuration
      ? this.#readers.begin({ isStream, estimate, signal: signal?.() })
      : this.#pool.begin({ timeout: this.#timeout, signal: signal?.() })
  }

  /** @throws ParameterError `too_many_resources` (400) */
  #checked(rows: Rows, plan: ReadPlan): Rows {
    if (this.#limit && rows.is === 'complete') checkResourceLimit(rows, plan, this.#limit)
    return rows
  }
}
