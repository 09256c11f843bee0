import { HeaderError } from '../errors/errors.ts'

/** The limits of the wait for a semaphore. */
export interface AcquireOptions {
  /** In milliseconds. */
  readonly timeout: number
  readonly signal?: AbortSignal | undefined
}

/** A request that waits. */
interface Waiter {
  readonly start: () => void
}

/** Limits the number of concurrent holders. Others wait in the order of arrival, in a queue of limited size. */
export class Semaphore {
  readonly #maxHolders: number
  readonly #queueSize: number
  #holders = 0
  readonly #waiters = new Set<Waiter>()

  constructor(maxHolders: number, queueSize: number) {
    this.#maxHolders = maxHolders
    this.#queueSize = queueSize
  }

  /**
   * Acquires the semaphore.
   * @returns the function that releases it; calling it again has no effect
   * @throws HeaderError `overloaded` (503) when too many wait or the wait is too long
   */
  async acquire({ timeout, signal }: AcquireOptions): Promise<() => void> {
    if (this.#holders >= this.#maxHolders) await this.#wait(timeout, signal)
    else this.#holders += 1
    let isHeld = true
    return () => {
      if (isHeld) this.#release()
      isHeld = false
    }
  }

  #release(): void {
    const [next] = this.#waiters
    if (next === undefined) {
      this.#holders -= 1
      return
    }
    // The next waiter takes over.
    this.#waiters.delete(next)
    next.start()
  }

  #wait(timeout: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiters.size >= this.#queueSize) throw overloadedError()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = { start: resolve }
    this.#waiters.add(waiter)
    const giveUp = () => {
      // A waiter that was started is no longer in the queue.
      if (this.#waiters.delete(waiter)) reject(overloadedError())
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
