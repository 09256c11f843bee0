import { setImmediate } from 'node:timers/promises'
import type { Row } from '../../plan/row-layout.ts'
import { type AcquireOptions, Semaphore } from '../../sql/semaphore.ts'
import type { ReadTransaction } from '../read/read-transaction.ts'
import { type Measure, type RecordDuration, recordLongest } from '../readers/read-history.ts'
import { SqliteConnection } from './connection.ts'
import { Stopwatch } from './cpu-time.ts'
import type { DatabaseFile } from './database-file.ts'
import { pageCacheSizes } from './open-database.ts'
import { retryWhileLocked } from './retry-while-locked.ts'

/** The maximum number of open read transactions: each one keeps SQLite from truncating the write-ahead log. */
const maxTransactions = 32
/** The maximum number of requests that wait for a connection. */
const queueSize = 100
/** The maximum number of idle connections. */
const maxIdle = 2
/** The number of rows in a batch. */
const batchSize = 50

/** How the statements of a transaction are measured. */
interface Measuring {
  readonly record: RecordDuration
  readonly createMeasure: (record: RecordDuration) => Measure
}

/** How a transaction begins. */
interface BeginOptions extends AcquireOptions {
  /** Receives how long each statement, and each batch of one, took. */
  readonly record: RecordDuration
}

/** The connections of this process for read transactions that outlast one turn of the event loop. */
export class ConnectionPool {
  readonly #file: DatabaseFile
  readonly #stopwatch = new Stopwatch()
  readonly #statementCache: number
  readonly #semaphore = new Semaphore(maxTransactions, queueSize)
  readonly #open = new Set<SqliteConnection>()
  readonly #idle: SqliteConnection[] = []

  /** @param statementCache - the memory of the prepared statements of each connection, in bytes */
  constructor(file: DatabaseFile, statementCache: number) {
    this.#file = file
    this.#statementCache = statementCache
  }

  /** Begins a read transaction. @throws HttpError `overloaded` (503) when too many are open, `unavailable` (503) when closed */
  async begin(options: BeginOptions): Promise<ReadTransaction> {
    const release = await this.#semaphore.acquire(options)
    try {
      const { timeout, signal, record } = options
      const wait = { timeout, signal: signal && (() => signal), isShared: true }
      const connection = await retryWhileLocked(performance.now(), () => this.#begin(), wait)
      return createReadTransaction(
        connection,
        { record, createMeasure: this.#createMeasure },
        () => {
          this.#giveBack(connection)
          release()
        },
      )
    } catch (error) {
      release()
      throw error
    }
  }

  readonly #createMeasure: Measuring['createMeasure'] = (record) => (query, run) => {
    const start = this.#stopwatch.start()
    const result = run()
    record(query, this.#stopwatch.measure(start))
    return result
  }

  #begin(): SqliteConnection {
    this.#file.checkOpen()
    const connection = this.#idle.pop() ?? this.#file.connect(() => this.#connect())
    try {
      connection.beginRead()
      return connection
    } catch (error) {
      this.#giveBack(connection)
      throw error
    }
  }

  /** Closes every connection. */
  close(): void {
    for (const connection of this.#open) connection.close()
    this.#open.clear()
    this.#idle.length = 0
  }

  #connect(): SqliteConnection {
    const pageCache = pageCacheSizes.shortLived
    const connection = new SqliteConnection(this.#file.path, 'reader', {
      pageCache,
      statementCache: this.#statementCache,
      limitsValues: true,
    })
    this.#open.add(connection)
    return connection
  }

  #giveBack(connection: SqliteConnection): void {
    if (!this.#open.has(connection)) return
    connection.rollback()
    if (this.#idle.length < maxIdle) {
      this.#idle.push(connection)
      return
    }
    this.#open.delete(connection)
    connection.close()
  }
}

/** Creates a transaction on a connection. @param onEnd - called once */
function createReadTransaction(
  connection: SqliteConnection,
  { record, createMeasure }: Measuring,
  onEnd: () => void,
): ReadTransaction {
  let isOpen = true
  const started: Generator[] = []
  const measure = createMeasure(record)
  return {
    query: (query) => measure(query, () => connection.all(query.statement, query.values)),
    batches: (statement, values) => {
      const batches = connection.batches(statement, values, batchSize)
      started.push(batches)
      const measureBatch = createMeasure(recordLongest(record))
      return readBatches(batches, (readNext) => measureBatch({ statement, values }, readNext))
    },
    records: async (statement) => connection.records(statement),
    end: () => {
      if (!isOpen) return
      isOpen = false
      // An unfinished statement would keep the snapshot.
      for (const batches of started) batches.return(undefined)
      onEnd()
    },
  }
}

/** Yields batches, each read by `measure`. Other requests run between two of them. */
async function* readBatches(
  batches: Generator<readonly Row[]>,
  measure: <Result>(readNext: () => Result) => Result,
): AsyncGenerator<readonly Row[]> {
  try {
    for (;;) {
      const batch = measure(() => batches.next().value)
      if (!batch) return
      yield batch
      await setImmediate()
    }
  } finally {
    batches.return(undefined)
  }
}
