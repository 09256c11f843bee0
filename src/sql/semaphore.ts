import { HttpError } from '../errors/errors.ts'

/** The limits of the wait for a semaphore. */
export interface AcquireOptions {
  /** In milliseconds. */
  readonly timeout: number
  readonly signal?: AbortSignal | undefined
  /** When the request should start, on the clock of `performance.now`. Default: now. */
  readonly startBy?: number | undefined
}

/** Releases what was acquired; calling it again has no effect. */
type Release = () => void

/** A request that waits. Times are on the clock of `performance.now`. */
interface Waiter extends Startable {
  /** When it has waited too long. */
  readonly deadline: number
  readonly signal: AbortSignal | undefined
  readonly start: (release: Release) => void
  /** Listens to the signal. */
  readonly giveUp: () => void
}

/** Limits the number of concurrent holders. Others wait in the order in which they should start, in a queue of limited size. */
export class Semaphore {
  readonly #maxHolders: number
  readonly #queueSize: number
  readonly #createError: () => HttpError
  #holders = 0
  readonly #waiters: Waiter[] = []
  /** One timer for all waiters, set for the first deadline: one for each would cost more than the rest of the wait. */
  #timer: NodeJS.Timeout | undefined
  #timerEnd = Number.POSITIVE_INFINITY

  /** @param createError - creates the error of a request that waited too long, or found the queue full */
  constructor(maxHolders: number, queueSize: number, createError = overloadedError) {
    this.#maxHolders = maxHolders
    this.#queueSize = queueSize
    this.#createError = createError
  }

  /** The number of requests that wait. */
  get waiting(): number {
    return this.#waiters.length
  }

  /**
   * Acquires the semaphore.
   * @throws HttpError by default `overloaded` (503), when too many wait, the wait is too long, or the signal aborts
   */
  acquire(options: AcquireOptions): Promise<Release> {
    const release = this.tryAcquire()
    return release ? Promise.resolve(release) : this.#wait(options)
  }

  /** Acquires the semaphore if nobody has to wait; `undefined` otherwise. */
  tryAcquire(): Release | undefined {
    if (this.#holders >= this.#maxHolders) return undefined
    this.#holders += 1
    return this.#createRelease()
  }

  #createRelease(): Release {
    let isHeld = true
    return () => {
      if (isHeld) this.#release()
      isHeld = false
    }
  }

  #release(): void {
    const next = this.#waiters.shift()
    if (next === undefined) {
      this.#holders -= 1
      return
    }
    // The next waiter takes over.
    this.#stopWaiting(next)
    next.start(this.#createRelease())
  }

  #wait({ timeout, signal, startBy }: AcquireOptions): Promise<Release> {
    const { promise, resolve, reject } = Promise.withResolvers<Release>()
    if (signal?.aborted || this.#waiters.length >= this.#queueSize) {
      reject(this.#createError())
      return promise
    }
    const now = performance.now()
    const waiter: Waiter = {
      startBy: startBy ?? now,
      deadline: now + timeout,
      signal,
      start: resolve,
      giveUp: () => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
        this.#stopWaiting(waiter)
        reject(this.#createError())
      },
    }
    insertByStart(this.#waiters, waiter)
    signal?.addEventListener('abort', waiter.giveUp, { once: true })
    this.#limitWait(waiter.deadline)
    return promise
  }

  /** Ends the wait of a request that is no longer in the queue. */
  #stopWaiting({ signal, giveUp }: Waiter): void {
    signal?.removeEventListener('abort', giveUp)
    if (this.#waiters.length === 0) this.#clearTimer()
  }

  #limitWait(deadline: number): void {
    if (deadline >= this.#timerEnd) return
    this.#clearTimer()
    this.#timerEnd = deadline
    const duration = Math.max(deadline - performance.now(), 0)
    this.#timer = setTimeout(() => this.#endLongWaits(), duration)
  }

  #endLongWaits(): void {
    this.#clearTimer()
    const now = performance.now()
    for (const waiter of this.#waiters.filter(({ deadline }) => deadline <= now)) waiter.giveUp()
    const deadlines = this.#waiters.map(({ deadline }) => deadline)
    if (deadlines.length > 0) this.#limitWait(Math.min(...deadlines))
  }

  #clearTimer(): void {
    clearTimeout(this.#timer)
    this.#timerEnd = Number.POSITIVE_INFINITY
  }
}

/** The error of a request that waited too long, or found the queue full. */
export function overloadedError(): HttpError {
  return new HttpError('overloaded', 'Too many requests of this kind wait; try again shortly.', {
    'retry-after': '1',
  })
}

/** Something that waits in a queue. */
interface Startable {
  /** The time by which it should start, on the clock of `performance.now`. */
  readonly startBy: number
}

/** Inserts an item into a queue in the order of `startBy`, after the items of the same time. */
export function insertByStart<Item extends Startable>(queue: Item[], item: Item): void {
  const isBefore = (other: Item) => other.startBy <= item.startBy
  const last = queue.at(-1)
  if (last === undefined || isBefore(last)) queue.push(item)
  else queue.splice(queue.findLastIndex(isBefore) + 1, 0, item)
}

/** Runs asynchronous work one after the other, in the order of arrival. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs work after all earlier work has settled. */
  run<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    const running = this.#last.then(work)
    this.#last = running.catch(ignore)
    return running
  }
}

function ignore(): void {}
