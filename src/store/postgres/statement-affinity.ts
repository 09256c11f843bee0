import type { CancellableQuery, DisconnectWatch } from './disconnects.ts'
import { disconnectedError } from './errors.ts'
import { type PostgresQuery, type PostgresResult, sendBatch } from './pipeline.ts'
import type { Session } from './session.ts'

// Statement-affinity scheduling (docs/decisions/0038). Each connection prepares its own statements and keeps a limited number
// of them, and the server takes longer to prepare a statement than to run it. When a connection becomes free, the scheduler
// picks a waiting query whose statement is prepared there. Row `thousand-shapes` of the benchmark, the throughput of a thousand
// query shapes relative to one, rises from 0.4 to 0.7.
//
// Invariant: every query runs once or fails. At most `maxOvertakes` queries in a row overtake the longest-waiting one, so none
// waits forever. A query and the connection that was requested for it are independent: each query adds one request to the pool,
// and each connection takes one query.

/** How many of the longest-waiting queries the scheduler looks at. */
const searchWindow = 32
/** How many queries in a row may overtake the longest-waiting one. */
const maxOvertakes = 16

/** Acquires a connection for some work and releases it afterwards. */
export type AcquireSession = <Result>(
  work: (session: Session) => Promise<Result>,
) => Promise<Result>

/** A query that waits for any connection, or runs. */
interface Waiting {
  readonly query: PostgresQuery
  readonly resolve: (result: PostgresResult) => void
  readonly reject: (error: unknown) => void
  /** Cancels the query on the server; set when it runs. */
  cancel?: () => void
}

/** Runs single queries, each on any connection. */
export class AffinityScheduler {
  readonly #acquire: AcquireSession
  readonly #disconnects: DisconnectWatch
  /** In the order of arrival. */
  readonly #waiting: Waiting[] = []
  /** The pending requests for connections: more than waiting queries if some of those were given up. */
  #requested = 0
  #overtakes = 0

  constructor(acquire: AcquireSession, disconnects: DisconnectWatch) {
    this.#acquire = acquire
    this.#disconnects = disconnects
  }

  /** The waiting queries minus the pending requests for connections; at most 0. */
  get surplus(): number {
    return Math.min(this.#waiting.length - this.#requested, 0)
  }

  run(query: PostgresQuery): Promise<PostgresResult> {
    const { promise, resolve, reject } = Promise.withResolvers<PostgresResult>()
    const own = query.signal
      ? this.#cancelOnDisconnect({ query, resolve, reject }, query.signal)
      : { query, resolve, reject }
    this.#waiting.push(own)
    this.#requested += 1
    let taken: Waiting | undefined
    this.#acquire((session) => {
      this.#requested -= 1
      taken = this.#take(this.#pick(session))
      return taken ? runOn(session, taken) : noResult
    }).then(
      (result) => result && taken?.resolve(result),
      (error) => {
        if (taken) return taken.reject(error)
        // No connection was acquired. Another query fails instead if this one already runs on a connection of another request.
        this.#requested -= 1
        if (this.#waiting.length <= this.#requested) return
        this.#take(Math.max(this.#waiting.indexOf(own), 0))?.reject(error)
      },
    )
    return promise
  }

  /** Gives a query up while it waits, and cancels it while it runs, when its client disconnects. */
  #cancelOnDisconnect({ query, resolve, reject }: Waiting, signal: () => AbortSignal): Waiting {
    const cancellable: CancellableQuery = {
      signal,
      stop: () => {
        const index = this.#waiting.indexOf(own)
        if (index === -1) return own.cancel?.()
        this.#take(index)
        own.reject(disconnectedError())
      },
    }
    const own: Waiting = {
      query,
      resolve: (result) => {
        this.#disconnects.delete(cancellable)
        resolve(result)
      },
      reject: (error) => {
        this.#disconnects.delete(cancellable)
        reject(error)
      },
    }
    this.#disconnects.add(cancellable)
    return own
  }

  /** Picks the next query for a connection. @returns its index */
  #pick({ prepared }: Session): number {
    const candidates = this.#overtakes < maxOvertakes ? this.#waiting.slice(0, searchWindow) : []
    const index = candidates.findIndex(({ query }) => prepared.has(query.statement))
    this.#overtakes = index > 0 ? this.#overtakes + 1 : 0
    return Math.max(index, 0)
  }

  /** Removes a query from the queue; `undefined` if the queue is empty. */
  #take(index: number): Waiting | undefined {
    return this.#waiting.splice(index, 1)[0]
  }
}

const noResult = Promise.resolve(undefined)

async function runOn(session: Session, waiting: Waiting): Promise<PostgresResult> {
  const running = sendBatch(session, [waiting.query])
  waiting.cancel = running.cancel
  const { results, failure } = await running.result
  const [result] = results
  if (result === undefined) throw failure
  return result
}
