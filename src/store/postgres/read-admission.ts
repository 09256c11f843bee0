import { Semaphore } from '../semaphore.ts'
import { unavailableError } from './errors.ts'
import { type ExpectedQuery, ReadDurations } from './read-durations.ts'

// Admission of reads by their expected durations (docs/decisions/0088). Clients that repeat an expensive read would occupy every
// connection that reads may take, and the lists of all others would wait for theirs. A read is expected to take as long as its
// statement took before (`ReadDurations`).
//
// Invariant: reads that are not known to be quick never occupy all of the connections that reads may take, and those that are
// known to be long leave some of them to reads that nothing is known of.

/** The share of the connections that slower work leaves to each class of quicker work: none of less than five. */
const reservedShare = 0.2
/** A read that is expected to take at least this long is a long one, in milliseconds. */
const longDuration = 100

/** The limits of a pool. */
interface PoolLimits {
  readonly poolSize: number
  /** How many requests of each class may wait. */
  readonly queueSize: number
  /** How long a request may wait, in milliseconds. */
  readonly timeout: number
}

/** Ends what was admitted. */
type Release = () => void

/** Limits how many connections each class of reads may occupy. Point reads and writes are not limited. */
export class ReadAdmission {
  /** Every read. */
  readonly #all: Semaphore
  /** Reads that are not known to be quick. */
  readonly #slow: Semaphore
  /** Reads that are known to be long. */
  readonly #long: Semaphore
  /** Streams, which occupy connections for as long as their clients read. */
  readonly #streams: Semaphore
  readonly #timeout: number
  readonly durations = new ReadDurations()

  constructor({ poolSize, queueSize, timeout }: PoolLimits) {
    const reserved = Math.floor(poolSize * reservedShare)
    const half = Math.max(Math.floor(poolSize / 2), 1)
    this.#all = new Semaphore(poolSize - reserved, queueSize)
    this.#slow = new Semaphore(poolSize - 2 * reserved, queueSize)
    this.#long = new Semaphore(half, queueSize)
    this.#streams = new Semaphore(half, queueSize)
    this.#timeout = timeout
  }

  /** Admits a read to a connection. @throws HeaderError `unavailable` (503) */
  admit(signal?: AbortSignal): Promise<Release> {
    return this.#acquire([this.#all], signal)
  }

  /** Admits a transaction in which a query runs to a connection. @throws HeaderError `unavailable` (503) */
  admitTransaction(query: ExpectedQuery, signal: AbortSignal | undefined): Promise<Release> {
    return this.#acquire([...this.#semaphoresOf(this.durations.expect(query)), this.#all], signal)
  }

  /**
   * Admits a read to the queue for connections.
   * @param expected - how long it is expected to take, in milliseconds; `undefined` if it is unknown
   * @throws HeaderError `unavailable` (503)
   */
  admitToQueue(expected: number | undefined, signal: AbortSignal | undefined): Promise<Release> {
    return this.#acquire(this.#semaphoresOf(expected), signal)
  }

  #semaphoresOf(expected: number | undefined): readonly Semaphore[] {
    if (isQuick(expected)) return []
    return expected === undefined ? [this.#slow] : [this.#long, this.#slow]
  }

  /** Admits a stream. @throws HeaderError `unavailable`, `overloaded` (503) */
  async admitStream(signal: AbortSignal | undefined): Promise<Release> {
    const endStream = await this.#streams.acquire({ timeout: this.#timeout, signal })
    try {
      const endRead = await this.#acquire([this.#slow, this.#all], signal)
      return () => {
        endRead()
        endStream()
      }
    } catch (error) {
      endStream()
      throw error
    }
  }

  /** Admits a read that has a connection to continue as a stream. @throws HeaderError `overloaded` (503) if it would have to wait */
  continueAsStream(signal: AbortSignal | undefined): Promise<Release> {
    return this.#streams.acquire({ timeout: 0, signal })
  }

  async #acquire(
    semaphores: readonly Semaphore[],
    signal: AbortSignal | undefined,
  ): Promise<Release> {
    const acquired: Release[] = []
    const release = () => {
      for (const each of acquired) each()
    }
    try {
      for (const semaphore of semaphores)
        acquired.push(await semaphore.acquire({ timeout: this.#timeout, signal }))
    } catch (error) {
      release()
      throw unavailableError('Too many requests wait for a connection', error)
    }
    return release
  }
}

/** Whether a read is known to be quick. */
export function isQuick(expected: number | undefined): expected is number {
  return expected !== undefined && expected < longDuration
}
