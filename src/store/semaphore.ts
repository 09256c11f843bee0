import { HeaderError } from '../errors/errors.ts'

/** The limits of the wait for a semaphore. */
export interface AcquireOptions {
  /** In milliseconds. */
  readonly timeout: number
  readonly signal?: AbortSignal | undefined
  /** When the request should start, on the clock of `performance.now`. Default: now. */
  readonly startBy?: number | undefined
}

/** A request that waits. */
interface Waiter {
  readonly startBy: number
  readonly start: () => void
}

/** Limits the number of concurrent holders. Others wait in the order in which they should start, in a queue of limited size. */
export class Semaphore {
  readonly #maxHolders: number
  readonly #queueSize: number
  #holders = 0
  readonly #waiters: Waiter[] = []

  constructor(maxHolders: number, queueSize: number) {
    this.#maxHolders = maxHolders
    this.#queueSize = queueSize
  }

  /**
   * Acquires the semaphore.
   * @returns the function that releases it; calling it again has no effect
   * @throws HeaderError `overloaded` (503) when too many wait or the wait is too long
   */
  async acquire(options: AcquireOptions): Promise<() => void> {
    if (this.#holders >= this.#maxHolders) await this.#wait(options)
    else this.#holders += 1
    let isHeld = true
    return () => {
      if (isHeld) this.#release()
      isHeld = false
    }
  }

  #release(): void {
    const next = this.#waiters.shift()
    // The next waiter takes over.
    if (next === undefined) this.#holders -= 1
    else next.start()
  }

  #wait({ timeout, signal, startBy = performance.now() }: AcquireOptions): Promise<void> {
    if (this.#waiters.length >= this.#queueSize) throw overloadedError()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = { startBy, start: resolve }
    const last = this.#waiters.findLastIndex((other) => other.startBy <= startBy)
    this.#waiters.splice(last + 1, 0, waiter)
    const giveUp = () => {
      const index = this.#waiters.indexOf(waiter)
      // A waiter that was started is no longer in the queue.
      if (index === -1) return
      this.#waiters.splice(index, 1)
      reject(overloadedError())
    }
    const timer = setTimeout(giveUp, timeout)
    if (signal?.aborted) giveUp()
    else signal?.addEventListener('abort', giveUp, { once: true })
    return promise.finally(() => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', giveUp)
    })
  }
}

/** The error of a request that waited too long, or found the queue full. */
export function overloadedError(): HeaderError {
  return new HeaderError('overloaded', 'Too many requests of this kind wait; try again shortly.', {
    'retry-after': '1',
  })
}
