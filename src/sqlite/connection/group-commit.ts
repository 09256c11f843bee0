import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'
import type { Awaitable } from '../../model/declare/hooks.ts'
import { committed, partMeasured, waited } from '../../observe/events.ts'
import { addReadable, type Reading } from '../../observe/readings.ts'
import { type Mutex, overloadedError } from '../../sql/semaphore.ts'
import type { Transaction, WriteTransactionOptions } from '../../sql/store.ts'
import { commitConstraintError, convertConstraintError } from '../../sql/write/constraints.ts'
import type { SqliteConnection } from './connection.ts'
import type { DatabaseFile } from './database-file.ts'
import { retryWhileLocked } from './retry-while-locked.ts'

// Group commit. A commit waits for the disk, and the rest of a write does not. So transactions that wait for the connection
// run one after the other in one transaction of the database, each in a savepoint, and are committed together. Rows `create`,
// `update` and `replace` of the benchmark: 3 to 5 times the throughput of the baseline, which commits each write.
//
// A large transaction is a group of its own, and others that wait run before it for a time: otherwise a small write would wait for
// every large one that was queued before.
//
// Invariant: no promise is settled before the commit, not even with an error, because the error may be about an uncommitted
// row of another transaction. A transaction that fails is rolled back to its savepoint. If the group fails as a unit, nothing
// is written, and each transaction runs again alone: SQLite checks a deferred foreign key at the commit, a trigger may roll back the
// transaction, and the disk may be full. A transaction that violates a deferred key is committed if a later one of its group repairs it.

/** The maximum number of transactions in a group. */
const maxGroupSize = 100
/** How long after the first transaction of a group another one may start, in milliseconds: the first ones wait for it. */
const maxGroupDuration = 20

/** How long others may run before a large transaction, in milliseconds. */
const maxOvertaking = 1000

/** Settles the promise of a transaction. */
type Settle = () => void

/** A transaction in the queue. */
interface QueuedTransaction {
  /** When it was queued, on the clock of `performance.now`. */
  readonly since: number
  /** If it throws, what it wrote is rolled back. */
  readonly work: (transaction: Transaction) => Awaitable<unknown>
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** What group commit uses besides the connection. */
interface GroupCommitOptions {
  /** Returns the operations of the connection. All works share the one object, because one transaction writes at a time. */
  readonly getTransaction: () => Transaction
  /** Held by whoever uses the connection. */
  readonly mutex: Mutex
  readonly file: DatabaseFile
  /** The maximum number of queued transactions. Default 1000. */
  readonly queueSize?: number | undefined
}

/** Runs write transactions on a connection and commits them in groups. */
export class GroupCommit {
  readonly #writer: SqliteConnection
  readonly #getTransaction: () => Transaction
  readonly #mutex: Mutex
  readonly #file: DatabaseFile
  readonly #queueSize: number
  #queue: QueuedTransaction[] = []
  /** The large transactions that wait. */
  readonly #large: QueuedTransaction[] = []
  /** Whether a group will be taken from the queue when the connection is free. */
  #isScheduled = false

  constructor(
    writer: SqliteConnection,
    { getTransaction, mutex, file, queueSize = 1000 }: GroupCommitOptions,
  ) {
    this.#writer = writer
    this.#getTransaction = getTransaction
    this.#mutex = mutex
    this.#file = file
    this.#queueSize = queueSize
    addReadable(this)
  }

  /** What telemetry asks of it. */
  readings(): readonly Reading[] {
    const value = this.#queue.length + this.#large.length
    return [{ name: 'queue depth', value, labels: { queue: 'write' } }]
  }

  /**
   * Runs work that writes in a transaction.
   * @returns the result of the work, once it is durable
   * @throws HttpError `overloaded` (503) when the queue is full, `unavailable` (503) when the database cannot be written or is closed
   */
  transaction<Result>(
    work: (transaction: Transaction) => Awaitable<Result>,
    { isLarge = false }: WriteTransactionOptions = {},
  ): Promise<Result> {
    if (this.#queue.length + this.#large.length >= this.#queueSize)
      return Promise.reject(overloadedError())
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const queue = isLarge ? this.#large : this.#queue
    // Another request may run it, and its statements are still those of this one.
    const bound = partMeasured.hasSubscribers ? AsyncLocalStorage.bind(work) : work
    queue.push({ since: performance.now(), work: bound, resolve, reject })
    this.#schedule()
    return promise
  }

  #schedule(): void {
    if (this.#isScheduled || this.#queue.length + this.#large.length === 0) return
    this.#isScheduled = true
    this.#mutex.run(this.#commitNextGroup)
  }

  readonly #commitNextGroup = async (): Promise<void> => {
    // The event loop reads all requests that have arrived.
    await setImmediate()
    this.#isScheduled = false
    const [large] = this.#large
    const isLarge = large && (this.#queue.length === 0 || isOverdue(large))
    const group = isLarge ? this.#large.splice(0, 1) : this.#queue.splice(0, maxGroupSize)
    if (waited.hasSubscribers) publishWaits(group)
    const settled = group.length > 1 ? await this.#runGroup(group) : undefined
    if (settled === undefined) {
      for (const { since, work, resolve, reject } of group)
        await this.#runInTransaction(since, work).then(resolve, reject)
    } else {
      for (const settle of settled) settle()
      this.#queue.unshift(...group.slice(settled.length))
    }
    this.#schedule()
  }

  /** @returns how to settle the transactions that started in time, in order; `undefined` when the group failed as a unit */
  async #runGroup(group: readonly QueuedTransaction[]): Promise<readonly Settle[] | undefined> {
    const runInTime = async () => {
      const settled: Settle[] = []
      const lastStart = performance.now() + maxGroupDuration
      for (const transaction of group) {
        settled.push(await this.#runInSavepoint(transaction))
        if (performance.now() > lastStart) break
      }
      return settled
    }
    try {
      const settled = await this.#runInTransaction(group[0]?.since ?? performance.now(), runInTime)
      if (committed.hasSubscribers) committed.publish({ size: settled.length })
      return settled
    } catch {
      // Each transaction runs again alone, so the error reaches the one that caused it.
      return undefined
    }
  }

  async #runInSavepoint({ work, resolve, reject }: QueuedTransaction): Promise<Settle> {
    this.#writer.setSavepoint()
    try {
      const result = await work(this.#getTransaction())
      this.#writer.releaseSavepoint()
      return () => resolve(result)
    } catch (error) {
      this.#writer.rollbackToSavepoint()
      return () => reject(error)
    }
  }

  /**
   * Runs work in a transaction of the database: commits, or rolls back if the work throws. It runs again while another process holds
   * a lock.
   */
  #runInTransaction<Result>(
    since: number,
    work: (transaction: Transaction) => Awaitable<Result>,
  ): Promise<Result> {
    return retryWhileLocked(since, async () => {
      try {
        this.#writer.begin('immediate')
        const result = await work(this.#getTransaction())
        this.#commit()
        return result
      } catch (error) {
        this.#file.checkOpen()
        this.#writer.rollback()
        throw error
      }
    })
  }

  /** Commits the transaction of the database. */
  #commit(): void {
    // What is written to a file that was replaced goes into its log, which SQLite would take for that of the successor.
    this.#file.verify()
    try {
      this.#writer.commit()
    } catch (error) {
      // The commit checks deferred foreign keys.
      throw convertConstraintError(error, commitConstraintError)
    }
    // The file may have been replaced during the commit. Then the write is not acknowledged either.
    this.#file.verify()
  }
}

function publishWaits(group: readonly QueuedTransaction[]): void {
  const now = performance.now()
  for (const { since } of group) waited.publish({ queue: 'write', duration: now - since })
  if (group.length === 1) committed.publish({ size: 1 })
}

/** Whether a large transaction has waited so long that no other one runs before it. */
function isOverdue({ since }: QueuedTransaction): boolean {
  return performance.now() - since > maxOvertaking
}
