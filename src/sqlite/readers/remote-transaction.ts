import { HttpError } from '../../errors/errors.ts'
import type { RunningStatement } from '../../observe/events.ts'
import type { Row } from '../../plan/row-layout.ts'
import { disconnectedError } from '../../sql/errors.ts'
import type { QueryRequest } from '../../sql/read/stream.ts'
import type { RunValues, Statement } from '../../sql/statement.ts'
import { bound, loadRows, publishStatement } from '../../sql/statement-values.ts'
import { sqliteSource } from '../connection/connection.ts'
import { LargeResultError } from '../errors.ts'
import type { ReadTransaction, SqlRecord } from '../read/read-transaction.ts'
import { type RecordDuration, recordLongest } from './read-history.ts'
import type { Reader } from './reader.ts'
import type { ReaderCommand, ReaderReply } from './reader-messages.ts'

/** The number of rows in a batch. */
const batchSize = 200
/** How long a read continues after its client has disconnected, in milliseconds: starting a process takes about as long. */
const disconnectGracePeriod = 500

/** The limits of a transaction, and what happens at its end. */
interface RemoteTransactionOptions {
  /** In milliseconds. */
  readonly timeout: number
  /** When the transaction must end, on the clock of `performance.now`; absent: each statement has the timeout of its own. */
  readonly deadline: number | undefined
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal | undefined
  readonly record: RecordDuration
  /** Called once the process is idle or dead. */
  readonly onEnd: () => void
}

/** A read transaction in a reader process. */
export class RemoteTransaction implements ReadTransaction {
  readonly #reader: Reader
  readonly #options: RemoteTransactionOptions
  #isOpen = true
  #stopTimer: NodeJS.Timeout | undefined
  /** Why the transaction was stopped. */
  #stopError: unknown

  constructor(reader: Reader, options: RemoteTransactionOptions) {
    const { signal } = options
    this.#reader = reader
    this.#options = options
    signal?.addEventListener('abort', this.#handleAbort)
    reader.send({ do: 'begin' })
    if (signal?.aborted) this.#handleAbort()
  }

  async query({ statement, values, isCount, isBounded }: QueryRequest): Promise<readonly Row[]> {
    const running = publishStatement(statement, sqliteSource)
    const execution = { sql: statement.sql, values: bound(statement, values) }
    const bounded = isBounded ? 'bounded' : 'all'
    const command = { do: isCount ? ('count' as const) : bounded, ...execution } as const
    const reply = await this.#request(
      command,
      (duration) => this.#options.record({ statement, values }, duration),
      running,
    )
    const rows = 'rows' in reply ? reply.rows : []
    running?.end(rows.length)
    return loadRows(rows, statement.load)
  }

  async *batches(statement: Statement, values: RunValues): AsyncGenerator<readonly Row[]> {
    const running = publishStatement(statement, sqliteSource)
    const execution = { sql: statement.sql, values: bound(statement, values) }
    this.#reader.send({ do: 'open', ...execution, size: batchSize })
    const recordBatch = recordLongest(this.#options.record)
    const requestNext = () => {
      const batch = this.#request({ do: 'next' }, (duration) => {
        running?.addBatch(0, duration)
        recordBatch({ statement, values }, duration)
      })
      // A consumer that stops early never awaits it.
      batch.catch(() => {})
      return batch
    }
    let nextBatch = requestNext()
    try {
      for (;;) {
        const batch = await nextBatch
        const rows = loadRows('rows' in batch ? batch.rows : [], statement.load)
        if (rows.length === 0) return
        running?.addBatch(rows.length, 0)
        // The process reads the next batch while this one is sent.
        nextBatch = requestNext()
        yield rows
      }
    } finally {
      running?.endBatches()
    }
  }

  async records(statement: Statement): Promise<readonly SqlRecord[]> {
    const running = publishStatement(statement, sqliteSource)
    const values = bound(statement, { planValues: [] })
    const command = { do: 'records', sql: statement.sql, values } as const
    const reply = await this.#request(command, undefined, running)
    const records = reply.is === 'records' ? reply.records : []
    running?.end(records.length)
    return records
  }

  end(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    clearTimeout(this.#stopTimer)
    this.#options.signal?.removeEventListener('abort', this.#handleAbort)
    this.#reader.send({ do: 'end' })
    void this.#reader.drain(disconnectGracePeriod).then(this.#options.onEnd)
  }

  readonly #handleAbort = (): void => {
    this.#stopTimer = setTimeout(
      () => this.#reader.stop(disconnectedError()),
      disconnectGracePeriod,
    )
  }

  /**
   * @param record - receives the duration of a statement or a batch
   * @param running - the statement, which an error ends
   */
  async #request(
    command: ReaderCommand,
    record?: (duration: number) => void,
    running?: RunningStatement,
  ): Promise<ReaderReply> {
    try {
      return await this.#requestReply(command, record)
    } catch (error) {
      running?.fail(error)
      throw error
    }
  }

  async #requestReply(
    command: ReaderCommand,
    record: ((duration: number) => void) | undefined,
  ): Promise<ReaderReply> {
    if (this.#stopError !== undefined) throw this.#stopError
    const { timeout, deadline } = this.#options
    const remaining = deadline === undefined ? timeout : deadline - performance.now()
    const start = performance.now()
    const request = this.#reader.request(command, { remaining, timeout })
    request.catch((error: unknown) => {
      this.#stopError = error
      // It was stopped, and would have taken longer.
      record?.(performance.now() - start)
    })
    const reply = await request
    if (reply.duration !== undefined) record?.(reply.duration)
    return throwReportedError(reply)
  }
}

/** @returns the reply, unless it is an error @throws the error */
function throwReportedError(reply: ReaderReply): ReaderReply {
  if (reply.is === 'too large') throw new LargeResultError()
  if (reply.is === 'request-error') throw new HttpError(reply.code, reply.detail, reply.headers)
  if (reply.is !== 'error') return reply
  const error = new Error(reply.message)
  if (reply.stack !== undefined) error.stack = reply.stack
  throw error
}
