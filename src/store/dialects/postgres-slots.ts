import { disconnected, overloaded } from './postgres-errors.ts'

/** What waits for a slot. */
interface Waiting {
  readonly take: () => void
}

/** Bounds how much of one kind is done at the same time; the rest waits, first come first served. */
export class Slots {
  readonly #size: number
  readonly #mostWaiting: number
  readonly #timeout: number
  readonly #waiting = new Set<Waiting>()
  #taken = 0

  /** @param timeout - how long one waits, in milliseconds */
  constructor(size: number, mostWaiting: number, timeout: number) {
    this.#size = size
    this.#mostWaiting = mostWaiting
    this.#timeout = timeout
  }

  /**
   * Takes a slot as soon as there is one.
   * @returns what gives it back, and does so once
   * @throws HeaderError `overloaded` (503) when too many wait, or none is free in time
   */
  async take(signal?: AbortSignal): Promise<() => void> {
    if (this.#taken < this.#size) return this.#given()
    if (this.#waiting.size >= this.#mostWaiting) throw overloaded('Too many long responses wait')
    if (signal?.aborted) throw disconnected()
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    const waiting: Waiting = { take: () => resolve(this.#given()) }
    const giveUp = (error: Error) => {
      this.#waiting.delete(waiting)
      reject(error)
    }
    const stop = () => giveUp(disconnected())
    const late = () => giveUp(overloaded('Too many long responses are under way'))
    const timer = setTimeout(late, this.#timeout)
    signal?.addEventListener('abort', stop, { once: true })
    this.#waiting.add(waiting)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
  }

  #given(): () => void {
    this.#taken += 1
    let isGiven = true
    return () => {
      if (!isGiven) return
      isGiven = false
      this.#taken -= 1
      const [next] = this.#waiting
      if (next === undefined) return
      this.#waiting.delete(next)
      next.take()
    }
  }
}
