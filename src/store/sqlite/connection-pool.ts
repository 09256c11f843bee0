import { setImmediate } from 'node:timers/promises'
import type { Row } from '../../plan/row-layout.ts'
import type { QueryRequest } from '../executor.ts'
import { type AcquireOptions, Semaphore } from '../semaphore.ts'
import type { RunValues, Statement } from '../statement.ts'
import { pageCaches, SqliteConnection } from './connection.ts'
import { counted } from './counts.ts'

/** A record of a declaration's own SQL, by the names of its columns. */
export type SqlRecord = Readonly<Record<string, unknown>>

/** A snapshot of the database on a connection of its own, here or in another process. */
export interface ReadSession {
  /** Every row of a statement. */
  query(request: QueryRequest): readonly Row[] | Promise<readonly Row[]>
  /** Rows in batches, read as they are asked for. */
  batches(statement: Statement, values: RunValues, size: number): AsyncGenerator<readonly Row[]>
  records(statement: Statement): Promise<readonly SqlRecord[]>
  /** Gives the connection back; calling it again is harmless. */
  end(): void
}

/** How many snapshots of their own may be open at a time: each keeps the write-ahead log from being written back. */
const mostSessions = 32
/** How many requests may wait for one. */
const mostWaiting = 100
/** How many connections are kept that nobody uses. */
const mostIdle = 2

/** Sessions on connections of this process. */
export class LocalSessions {
  readonly #path: string
  readonly #slots = new Semaphore(mostSessions, mostWaiting)
  readonly #open = new Set<SqliteConnection>()
  readonly #idle: SqliteConnection[] = []

  constructor(path: string) {
    this.#path = path
  }

  /** Begins a snapshot. @throws HeaderError `overloaded` (503) when too many are open */
  async begin(wait: AcquireOptions): Promise<ReadSession> {
    const release = await this.#slots.acquire(wait)
    try {
      const connection = this.#idle.pop() ?? this.#connect()
      connection.begin('deferred')
      return sessionOn(connection, () => {
        this.#giveBack(connection)
        release()
      })
    } catch (error) {
      release()
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
    const connection = new SqliteConnection(this.#path, 'reader', {
      pageCache: pageCaches.passing,
    })
    this.#open.add(connection)
    return connection
  }

  #giveBack(connection: SqliteConnection): void {
    if (!this.#open.has(connection)) return
    connection.rollback()
    if (this.#idle.length < mostIdle) {
      this.#idle.push(connection)
      return
    }
    this.#open.delete(connection)
    connection.close()
  }
}

function sessionOn(connection: SqliteConnection, giveBack: () => void): ReadSession {
  const count = counted(connection)
  let isOpen = true
  const reading = new Set<Generator>()
  return {
    query: ({ statement, values, isCount }) =>
      isCount ? [[count(statement, values)]] : connection.all(statement, values),
    async *batches(statement, values, size) {
      const rows = connection.batches(statement, values, size)
      reading.add(rows)
      try {
        for (const batch of rows) {
          yield batch
          // Others have their turn.
          await setImmediate()
        }
      } finally {
        reading.delete(rows)
      }
    },
    records: async (statement) => connection.records(statement),
    end: () => {
      if (!isOpen) return
      isOpen = false
      // A statement that is not read to its end would keep the snapshot.
      for (const rows of reading) rows.return(undefined)
      giveBack()
    },
  }
}
