import { HeaderError } from '../../errors/errors.ts'
import type { Row } from '../../plan/row-layout.ts'
import { Semaphore } from '../semaphore.ts'
import { bound, type RunValues, type Statement } from '../statement.ts'
import type { ReadSession } from './connection-pool.ts'
import { SqliteReader } from './reader.ts'
import type { ReaderReply } from './reader-messages.ts'
import { publish } from './statement-events.ts'

/** How many rows a stream reads at a time from another process. */
const batchSize = 200
/** After how long a process that nobody uses is ended, in milliseconds. */
const idleTimeout = 30_000
/** How long a read goes on whose client has gone, in milliseconds: to start a process anew takes about as long. */
const grace = 500
/** Reads that are expected to take longer leave a process to those that take less, in milliseconds. */
const long = 1000

/** What readers are allowed. */
export interface ReaderOptions {
  /** The most processes for reads that hold all of their rows, and as many again for streams. */
  readonly readers: number
  /** How long a read may take, in milliseconds. */
  readonly timeout: number
  /** How many reads may wait for a process. */
  readonly queueSize: number
}

/** What is known of a read that needs a reader. */
export interface ExpensiveRead {
  readonly isStream: boolean
  /** How long it is expected to take, in milliseconds. */
  readonly estimate: number
  readonly signal: AbortSignal | undefined
}

/** Processes that run expensive reads, each one at a time. They are started when they are needed, and end when they are not. */
export class SqliteReaders {
  readonly #path: string
  readonly #timeout: number
  readonly #slots: Semaphore
  readonly #longSlots: Semaphore
  readonly #streamSlots: Semaphore
  readonly #all = new Set<SqliteReader>()
  readonly #idle: { readonly reader: SqliteReader; readonly timer: NodeJS.Timeout }[] = []

  constructor(path: string, { readers, timeout, queueSize }: ReaderOptions) {
    this.#path = path
    this.#timeout = timeout
    this.#slots = new Semaphore(readers, queueSize)
    this.#longSlots = new Semaphore(Math.max(1, readers - 1), queueSize)
    this.#streamSlots = new Semaphore(readers, queueSize)
  }

  /**
   * Begins a snapshot in another process.
   * @throws HeaderError `overloaded` (503) when too many wait for one
   */
  async begin(read: ExpensiveRead): Promise<ReadSession> {
    const deadline = performance.now() + this.#timeout
    const release = await this.#acquire(read, deadline)
    const reader = this.#take()
    const end = () => {
      this.#giveBack(reader)
      release()
    }
    const isOver = read.isStream ? undefined : deadline
    return new RemoteSession(reader, { timeout: this.#timeout, deadline: isOver, end }, read.signal)
  }

  /** Ends every process, whatever it does. */
  close(): void {
    for (const reader of this.#all) reader.kill()
  }

  async #acquire(
    { isStream, estimate, signal }: ExpensiveRead,
    deadline: number,
  ): Promise<() => void> {
    const left = () => ({ timeout: Math.max(0, deadline - performance.now()), signal })
    if (isStream) return this.#streamSlots.acquire(left())
    if (estimate < long) return this.#slots.acquire(left())
    const releaseLong = await this.#longSlots.acquire(left())
    try {
      const release = await this.#slots.acquire(left())
      return () => {
        release()
        releaseLong()
      }
    } catch (error) {
      releaseLong()
      throw error
    }
  }

  #take(): SqliteReader {
    for (;;) {
      const idle = this.#idle.pop()
      if (idle === undefined) break
      clearTimeout(idle.timer)
      if (idle.reader.isAlive) return idle.reader
    }
    const reader: SqliteReader = new SqliteReader(this.#path, () => this.#all.delete(reader))
    this.#all.add(reader)
    return reader
  }

  #giveBack(reader: SqliteReader): void {
    if (!reader.isAlive) return
    const timer = setTimeout(() => {
      this.#idle.splice(
        this.#idle.findIndex((each) => each.reader === reader),
        1,
      )
      reader.kill()
    }, idleTimeout)
    timer.unref()
    this.#idle.push({ reader, timer })
  }
}

/** What a session may take, and what is done at its end. */
interface SessionOptions {
  readonly timeout: number
  /** When the whole session has to be over, on the clock of `performance.now`; absent where each statement has its own time. */
  readonly deadline: number | undefined
  readonly end: () => void
}

/** A snapshot in a reader process. */
class RemoteSession implements ReadSession {
  readonly #reader: SqliteReader
  readonly #options: SessionOptions
  readonly #signal: AbortSignal | undefined
  #isOpen = true
  #graceTimer: NodeJS.Timeout | undefined

  constructor(reader: SqliteReader, options: SessionOptions, signal: AbortSignal | undefined) {
    this.#reader = reader
    this.#options = options
    this.#signal = signal
    signal?.addEventListener('abort', this.#abort)
    reader.tell({ do: 'begin' })
    if (signal?.aborted) this.#abort()
  }

  async query({
    statement,
    values,
    isCount,
  }: Parameters<ReadSession['query']>[0]): Promise<readonly Row[]> {
    publish(statement.sql)
    const request = { sql: statement.sql, values: bound(statement, values) }
    return loaded(await this.#ask({ do: isCount ? 'count' : 'all', ...request }), statement)
  }

  async *batches(
    statement: Statement,
    values: RunValues,
    _size: number,
  ): AsyncGenerator<readonly Row[]> {
    publish(statement.sql)
    const request = { sql: statement.sql, values: bound(statement, values) }
    this.#reader.tell({ do: 'open', ...request, size: batchSize })
    const next = () => {
      const batch = this.#ask({ do: 'next' })
      // Whoever leaves in between does not wait for it.
      batch.catch(() => {})
      return batch
    }
    let coming = next()
    for (;;) {
      const rows = loaded(await coming, statement)
      if (rows.length === 0) return
      // The process reads the next batch while this one is sent.
      coming = next()
      yield rows
    }
  }

  async records(statement: Statement): ReturnType<ReadSession['records']> {
    publish(statement.sql)
    const values = bound(statement, { parameters: [] })
    const reply = await this.#ask({ do: 'records', sql: statement.sql, values })
    return reply.is === 'records' ? reply.records : []
  }

  end(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    clearTimeout(this.#graceTimer)
    this.#signal?.removeEventListener('abort', this.#abort)
    this.#reader.tell({ do: 'end' })
    void this.#reader.settle(grace).then(this.#options.end)
  }

  readonly #abort = (): void => {
    this.#graceTimer = setTimeout(() => this.#reader.kill(disconnected()), grace)
  }

  async #ask(request: Parameters<SqliteReader['ask']>[0]): Promise<ReaderReply> {
    const { timeout, deadline } = this.#options
    const left = deadline === undefined ? timeout : deadline - performance.now()
    return succeeded(await this.#reader.ask(request, { left, timeout }))
  }
}

/** @throws what the process could not do */
function succeeded(reply: ReaderReply): ReaderReply {
  if (reply.is === 'refusal') throw new HeaderError(reply.code, reply.detail, reply.headers)
  if (reply.is !== 'failure') return reply
  const error = new Error(reply.message)
  if (reply.stack !== undefined) error.stack = reply.stack
  throw error
}

function loaded(reply: ReaderReply, { load }: Statement): readonly Row[] {
  const rows = 'rows' in reply ? reply.rows : []
  if (load) for (const row of rows) load(row)
  return rows
}

/** Nobody is there to be told. */
function disconnected(): HeaderError {
  return new HeaderError('unavailable', 'The client has closed the connection.')
}
