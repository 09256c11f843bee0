import { type ExpectedQuery, ReadDurations } from '../read-durations.ts'
import { type Release, Semaphore } from '../semaphore.ts'
import { unavailableError } from './errors.ts'

// Admission of reads by their expected durations. Clients that repeat an expensive read would occupy every
// connection that reads may take, and the lists of all others would wait for theirs. A read is expected to take as long as its
// statement took before (`ReadDurations`): PostgreSQL's own estimates take a round trip, and an attacker can choose filters that they
// underestimate. Behind a proxy all clients have one address, so there are no queues for each address.
//
// Invariant, for pools of five connections or more: reads that are not known to be quick never occupy all of the connections that
// reads may take. Those that are known to be long, and complex ones of which nothing is known, leave some of them to others.

/** The share of the connections that slower work leaves to each class of quicker work: none of less than five. */
const reservedShare = 0.2

/** The limits of a pool. */
interface PoolLimits {
  readonly poolSize: number
  /** How many requests of each class may wait. */
  readonly queueSize: number
  /** How long a request may wait, in milliseconds. */
  readonly timeout: number
}

/** Limits how many connections each class of reads may occupy. Point reads and writes are not limited. */
export class ReadAdmission {
  /** Every read. */
  readonly #all: Semaphore
  /** Reads that are not known to be quick. */
  readonly #slow: Semaphore
  /** Reads that are known to be long, and complex ones of which nothing is known. */
  readonly #long: Semaphore
  /** Streams, which occupy connections for as long as their clients read. */
  readonly #streams: Semaphore
  readonly #timeout: number
  readonly durations = new ReadDurations()

  constructor({ poolSize, queueSize, timeout }: PoolLimits) {
    const reserved = Math.floor(poolSize * reservedShare)
    const half = Math.max(Math.floor(poolSize / 2), 1)
    const limitTo = (connections: number) =>
      new Semaphore(connections, queueSize, () =>
        unavailableError('Too many requests wait for a connection'),
      )
    this.#all = limitTo(poolSize - reserved)
    this.#slow = limitTo(poolSize - 2 * reserved)
    this.#long = limitTo(half)
    this.#streams = new Semaphore(half, queueSize)
    this.#timeout = timeout
  }

  /** Admits a read to a connection. @throws HeaderError `unavailable` (503) */
  admit(signal?: AbortSignal): Promise<Release> {
    return this.#all.acquire({ timeout: this.#timeout, signal })
  }

  /** Admits a transaction in which a query runs to a connection. @throws HeaderError `unavailable` (503) */
  admitTransaction(query: ExpectedQuery, signal: AbortSignal | undefined): Promise<Release> {
    const semaphores = [...this.#semaphoresOf(query), this.#all]
    return this.#acquire(semaphores, signal, this.durations.startTime(query))
  }

  /** Admits a read that is not known to be quick to the queue for connections. @throws HeaderError `unavailable` (503) */
  admitToQueue(query: ExpectedQuery, signal: AbortSignal | undefined): Promise<Release> {
    return this.#acquire(this.#semaphoresOf(query), signal, this.durations.startTime(query))
  }

  /** Whether a read is known to be quick. */
  isQuick(query: ExpectedQuery): boolean {
    return this.durations.classOf(query) === 'quick'
  }

  /** Returns what limits a read by its class. */
  #semaphoresOf(query: ExpectedQuery): readonly Semaphore[] {
    const readClass = this.durations.classOf(query)
    if (readClass === 'quick') return []
    return readClass === 'long' ? [this.#long, this.#slow] : [this.#slow]
  }

  /** Admits a stream. @throws HeaderError `overloaded`, `unavailable` (503) */
  admitStream(signal: AbortSignal | undefined): Promise<Release> {
    return this.#acquire([this.#streams, this.#slow, this.#all], signal)
  }

  /** Admits a read that has a connection to continue as a stream. @throws HeaderError `overloaded` (503) if it would have to wait */
  continueAsStream(signal: AbortSignal | undefined): Promise<Release> {
    return this.#streams.acquire({ timeout: 0, signal })
  }

  /** Acquires semaphores one after the other. */
  async #acquire(
    semaphores: readonly Semaphore[],
    signal: AbortSignal | undefined,
    startBy?: number,
  ): Promise<Release> {
    const acquired: Release[] = []
    const release = () => {
      for (const each of acquired) each()
    }
    try {
      for (const semaphore of semaphores)
        acquired.push(await semaphore.acquire({ timeout: this.#timeout, signal, startBy }))
    } catch (error) {
      release()
      throw error
    }
    return release
  }
}
