import { setImmediate } from 'node:timers/promises'
import { type AcquireOptions, Semaphore } from '../semaphore.ts'
import { SqliteConnection } from './connection.ts'
import type { DatabaseFile } from './database-file.ts'
import { pageCacheSizes } from './open-database.ts'
import type { ReadTransaction } from './read-transaction.ts'
import { retryWhileLocked } from './retry-while-locked.ts'

/** The maximum number of open read transactions: each one keeps SQLite from truncating the write-ahead log. */
const maxTransactions = 32
/** The maximum number of requests that wait for a connection. */
const queueSize = 100
/** The maximum number of idle connections. */
const maxIdle = 2
/** The number of rows in a batch. */
const batchSize = 50

/** The connections of this process for read transactions that outlast one turn of the event loop. */
export class ConnectionPool {
  readonly #file: DatabaseFile
  readonly #statementCache: number
  readonly #semaphore = new Semaphore(maxTransactions, queueSize)
  readonly #open = new Set<SqliteConnection>()
  readonly #idle: SqliteConnection[] = []

  /** @param statementCache - the memory of the prepared statements of each connection, in bytes */
  constructor(file: DatabaseFile, statementCache: number) {
    this.#file = file
    this.#statementCache = statementCache
  }

  /** Begins a read transaction. @throws HeaderError `overloaded` (503) when too many are open, `unavailable` (503) when closed */
  async begin(options: AcquireOptions): Promise<ReadTransaction> {
    const release = await this.#semaphore.acquire(options)
    try {
      const { timeout, signal } = options
      const wait = { timeout, signal: signal && (() => signal), isShared: true }
      const connection = await retryWhileLocked(performance.now(), () => this.#begin(), wait)
      return createReadTransaction(connection, () => {
        this.#giveBack(connection)
        release()
      })
    } catch (error) {
      release()
      throw error
    }
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
function createReadTransaction(connection: SqliteConnection, onEnd: () => void): ReadTransaction {
  let isOpen = true
  const unfinished = new Set<Generator>()
  return {
    query: ({ statement, values }) => connection.all(statement, values),
    async *batches(statement, values) {
      const batches = connection.batches(statement, values, batchSize)
      unfinished.add(batches)
      try {
        for (const batch of batches) {
          yield batch
          // Other requests run between two batches.
          await setImmediate()
        }
      } finally {
        unfinished.delete(batches)
      }
    },
    records: async (statement) => connection.records(statement),
    end: () => {
      if (!isOpen) return
      isOpen = false
      // An unfinished statement would keep the snapshot.
      for (const batches of unfinished) batches.return(undefined)
      onEnd()
    },
  }
}
