import { HttpError } from '../../errors/errors.ts'
import { waited } from '../../observe/events.ts'
import { addReadable, type Reading } from '../../observe/readings.ts'
import { Semaphore } from '../../sql/semaphore.ts'
import type { DatabaseFile } from '../connection/database-file.ts'
import type { ReadTransaction } from '../read/read-transaction.ts'
import type { RecordDuration } from './read-history.ts'
import { Reader } from './reader.ts'
import { RemoteTransaction } from './remote-transaction.ts'

/** After how long an idle process ends, in milliseconds. */
const idleTimeout = 30_000

/** The limits of the readers. */
interface ReaderPoolOptions {
  /** The maximum number of processes for full reads, and also for streams. */
  readonly readers: number
  /** The maximum duration of a read, in milliseconds. */
  readonly timeout: number
  /** The maximum number of reads that wait for a process. */
  readonly queueSize: number
  /** The memory of the prepared statements of each process, in bytes. */
  readonly statementCache: number
}

/** A read that needs a reader. */
interface ExpensiveRead {
  readonly isStream: boolean
  /** Whether it may take so long that it leaves a process to the others. */
  readonly isLong: boolean
  readonly record: RecordDuration
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal | undefined
}

/** An idle process, and the timer that ends it. */
interface IdleReader {
  readonly reader: Reader
  readonly timer: NodeJS.Timeout
}

/** The reader processes. They start on demand and end when they are idle. Each one runs one transaction at a time. */
export class ReaderPool {
  readonly #file: DatabaseFile
  readonly #timeout: number
  readonly #statementCache: number
  readonly #readSemaphore: Semaphore
  readonly #longReadSemaphore: Semaphore
  readonly #streamSemaphore: Semaphore
  readonly #all = new Set<Reader>()
  readonly #idle: IdleReader[] = []

  constructor(
    file: DatabaseFile,
    { readers, timeout, queueSize, statementCache }: ReaderPoolOptions,
  ) {
    this.#file = file
    this.#timeout = timeout
    this.#statementCache = statementCache
    this.#readSemaphore = new Semaphore(readers, queueSize)
    this.#longReadSemaphore = new Semaphore(Math.max(1, readers - 1), queueSize)
    this.#streamSemaphore = new Semaphore(readers, queueSize)
    addReadable(this)
  }

  /** What telemetry asks of it. */
  readings(): readonly Reading[] {
    const reads = this.#readSemaphore.waiting + this.#longReadSemaphore.waiting
    return [
      { name: 'reader processes', value: this.#all.size },
      { name: 'queue depth', value: reads, labels: { queue: 'read' } },
      { name: 'queue depth', value: this.#streamSemaphore.waiting, labels: { queue: 'stream' } },
    ]
  }

  /**
   * Begins a read transaction in a reader process.
   * @throws HttpError `overloaded` (503) when too many reads wait, `unavailable` (503) when closed, or when no process can be started
   */
  async begin(read: ExpensiveRead): Promise<ReadTransaction> {
    const deadline = performance.now() + this.#timeout
    const release = await this.#acquire(read, deadline)
    if (waited.hasSubscribers) {
      const duration = performance.now() - (deadline - this.#timeout)
      waited.publish({ queue: read.isStream ? 'stream' : 'read', duration })
    }
    try {
      this.#file.verify()
      const reader = this.#takeReader()
      return new RemoteTransaction(reader, {
        timeout: this.#timeout,
        deadline: read.isStream ? undefined : deadline,
        signal: read.signal,
        record: read.record,
        onEnd: () => {
          this.#giveBack(reader)
          release()
        },
      })
    } catch (error) {
      release()
      throw error instanceof HttpError ? error : startError(error)
    }
  }

  /** Kills every process. */
  close(): void {
    for (const reader of this.#all) reader.kill()
  }

  async #acquire(
    { isStream, isLong, signal }: ExpensiveRead,
    deadline: number,
  ): Promise<() => void> {
    const options = () => ({ timeout: Math.max(0, deadline - performance.now()), signal })
    if (isStream) return this.#streamSemaphore.acquire(options())
    if (!isLong) return this.#readSemaphore.acquire(options())
    const releaseLong = await this.#longReadSemaphore.acquire(options())
    try {
      const release = await this.#readSemaphore.acquire(options())
      return () => {
        release()
        releaseLong()
      }
    } catch (error) {
      releaseLong()
      throw error
    }
  }

  /** @throws what `fork` throws, e.g. without free memory */
  #takeReader(): Reader {
    for (;;) {
      const idle = this.#idle.pop()
      if (idle === undefined) break
      clearTimeout(idle.timer)
      if (idle.reader.isAlive) return idle.reader
    }
    const reader: Reader = new Reader(this.#file.path, () => this.#all.delete(reader), {
      statementCache: this.#statementCache,
      identity: this.#file.identity,
    })
    this.#all.add(reader)
    return reader
  }

  #giveBack(reader: Reader): void {
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

/** The error of a read for which no process could be started: there are no free file descriptors, processes or memory. */
function startError(error: unknown): HttpError {
  const cause = new Error('A reader process could not be started.', { cause: error })
  const headers = { 'retry-after': '1' }
  return new HttpError('unavailable', 'The read could not begin; try again.', headers, { cause })
}
