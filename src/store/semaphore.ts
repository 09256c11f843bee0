import { HeaderError } from '../errors/errors.ts'

/** How long a request waits for a slot, and how it may be called off. */
export interface AcquireOptions {
  /** In milliseconds. */
  readonly timeout: number
  readonly signal?: AbortSignal | undefined
}

/** A request that waits for a slot. */
interface Waiting {
  readonly start: () => void
}

/** Lets so many pieces of work run at a time; others wait in the order of their arrival, so many and no more. */
export class Semaphore {
  readonly #most: number
  readonly #queueSize: number
  #used = 0
  readonly #waiting = new Set<Waiting>()

  constructor(most: number, queueSize: number) {
    this.#most = most
    this.#queueSize = queueSize
  }

  /**
   * Waits for a slot.
   * @returns what gives it back; calling it again is harmless
   * @throws HeaderError `overloaded` (503) when too many wait or the wait is too long
   */
  async acquire({ timeout, signal }: AcquireOptions): Promise<() => void> {
    if (this.#used >= this.#most) await this.#wait(timeout, signal)
    else this.#used += 1
    let isHeld = true
    return () => {
      if (isHeld) this.#release()
      isHeld = false
    }
  }

  #release(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#used -= 1
      return
    }
    // The slot goes to the next one.
    this.#waiting.delete(next)
    next.start()
  }

  #wait(timeout: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.size >= this.#queueSize) throw overloadedError()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting: Waiting = { start: resolve }
    this.#waiting.add(waiting)
    const giveUp = () => {
      // One that has its slot already keeps it.
      if (this.#waiting.delete(waiting)) reject(overloadedError())
    }
    const timer = setTimeout(giveUp, timeout)
    signal?.addEventListener('abort', giveUp, { once: true })
    return promise.finally(() => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', giveUp)
    })
  }
}

/** What a request is answered that cannot wait for its turn. */
export function overloadedError(): HeaderError {
  return new HeaderError('overloaded', 'Too many requests of this kind wait; try again shortly.', {
    'retry-after': '1',
  })
}
