import { disconnectedError } from '../disconnected-error.ts'
import type { ReadDurations } from '../read-durations.ts'
import { insertByStart, type Startable } from '../start-order.ts'
import { DisconnectWatch, stopListening, type WatchedQuery } from './disconnects.ts'
import {
  type PostgresQuery,
  type PostgresResult,
  type RunningBatch,
  sendBatch,
} from './pipeline.ts'
import type { Session } from './session.ts'

// Statement-affinity scheduling . Each connection prepares its own statements and keeps a limited number
// of them, and the server takes longer to prepare a statement than to run it. When a connection becomes free, the scheduler
// picks a waiting query whose statement is prepared there. Row `thousand-shapes` of the benchmark, the throughput of a thousand
// query shapes relative to one, rises from 0.4 to 0.7.
//
// Queries wait in the order of the times by which they should start: a quick one overtakes those that are
// expected to take longer.
//
// Invariant: every query runs once or fails. At most `maxOvertakes` queries in a row overtake the first one, and no query that
// arrives after the time by which another one should start is put before it, so none waits forever. A query and the connection
// that was requested for it are independent: each query adds one request to the pool, and each connection takes one query.

/** How many of the first queries the scheduler looks at. */
const searchWindow = 32
/** How many queries in a row may overtake the first one. */
const maxOvertakes = 16
/** How much later than the first query one that overtakes it should start, at most, in milliseconds. */
const maxOvertakeTime = 100

/** Acquires a connection for some work and releases it afterwards. */
export type AcquireSession = <Result>(
  work: (session: Session) => Promise<Result>,
) => Promise<Result>

/** A query that waits for any connection, or runs. */
interface Pending extends WatchedQuery, Startable {
  readonly query: PostgresQuery
  readonly resolve: (result: PostgresResult) => void
  readonly reject: (error: unknown) => void
  /** `undefined` while it waits. */
  running: RunningBatch | undefined
}

/** Runs single queries, each on any connection. */
export class AffinityScheduler {
  readonly #acquire: AcquireSession
  readonly #durations: ReadDurations
  /** In the order of `startBy`. */
  readonly #waiting: Pending[] = []
  readonly #running: Pending[] = []
  readonly #disconnects = new DisconnectWatch(() => [...this.#waiting, ...this.#running])
  /** The pending requests for connections: more than waiting queries if some of those were given up. */
  #requested = 0
  #overtakes = 0

  /** @param durations - the expected durations, which the scheduler also records */
  constructor(acquire: AcquireSession, durations: ReadDurations) {
    this.#acquire = acquire
    this.#durations = durations
  }

  /** The waiting queries minus the pending requests for connections; at most 0. */
  get surplus(): number {
    return Math.min(this.#waiting.length - this.#requested, 0)
  }

  run(query: PostgresQuery): Promise<PostgresResult> {
    const { promise, resolve, reject } = Promise.withResolvers<PostgresResult>()
    const own: Pending = {
      query,
      startBy: this.#durations.startTime(query),
      resolve,
      reject,
      createSignal: query.signal,
      stop: () => this.#stop(own),
      isSeen: false,
      signal: undefined,
      running: undefined,
    }
    insertByStart(this.#waiting, own)
    this.#disconnects.start()
    this.#requestConnection(own)
    return promise
  }

  #requestConnection(own: Pending): void {
    this.#requested += 1
    let taken: Pending | undefined
    this.#acquire((session) => {
      this.#requested -= 1
      taken = this.#take(this.#pick(session))
      return taken ? this.#runOn(session, taken) : nothing
    }).catch((error) => {
      if (taken) return taken.reject(error)
      // No connection was acquired. Another query fails instead if this one already runs on a connection of another request.
      this.#requested -= 1
      if (this.#waiting.length > this.#requested)
        this.#giveUp(Math.max(this.#waiting.indexOf(own), 0), error)
    })
  }

  /** Gives a query up while it waits, and cancels it while it runs. */
  #stop(pending: Pending): void {
    const index = this.#waiting.indexOf(pending)
    if (index === -1) pending.running?.cancel()
    else this.#giveUp(index, disconnectedError())
  }

  /** Rejects a query that waits. */
  #giveUp(index: number, error: unknown): void {
    const pending = this.#take(index)
    if (pending === undefined) return
    stopListening(pending)
    pending.reject(error)
  }

  /** Runs a query and resolves it. @throws the failure, with which it is to be rejected */
  async #runOn(session: Session, pending: Pending): Promise<void> {
    const start = performance.now()
    let isComplete = false
    pending.running = sendBatch(session, [pending.query])
    this.#running.push(pending)
    try {
      const { results, failure } = await pending.running.result
      const [result] = results
      if (result === undefined) throw failure
      isComplete = true
      pending.resolve(result)
    } finally {
      this.#durations.record(pending.query, start, isComplete)
      this.#end(pending)
    }
  }

  #end(pending: Pending): void {
    stopListening(pending)
    const last = this.#running.pop()
    if (last && last !== pending) this.#running[this.#running.indexOf(pending)] = last
  }

  /** Picks the next query for a connection. @returns its index */
  #pick({ prepared }: Session): number {
    const [first] = this.#waiting
    const isCandidate = ({ query, startBy }: Pending) =>
      prepared.has(query.statement) &&
      first !== undefined &&
      startBy <= first.startBy + maxOvertakeTime
    const candidates = this.#overtakes < maxOvertakes ? this.#waiting.slice(0, searchWindow) : []
    const index = candidates.findIndex(isCandidate)
    this.#overtakes = index > 0 ? this.#overtakes + 1 : 0
    return Math.max(index, 0)
  }

  /** Removes a query from the queue; `undefined` if the queue is empty. */
  #take(index: number): Pending | undefined {
    return index === 0 ? this.#waiting.shift() : this.#waiting.splice(index, 1)[0]
  }
}

const nothing = Promise.resolve()
