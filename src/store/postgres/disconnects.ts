/** A query that is stopped when its client disconnects. */
export interface WatchedQuery {
  /** Creates the signal that aborts when the client disconnects; absent if nobody waits for the result. */
  readonly createSignal: (() => AbortSignal) | undefined
  /** Stops the query. */
  readonly stop: () => void
  /** Whether the timer has seen the query. */
  isSeen: boolean
  /** The signal with a listener; `undefined` before the query has lasted for some time. */
  signal: AbortSignal | undefined
}

// Deferred disconnect listeners. Most queries end within a millisecond, and to create a signal and a listener for each would cost
// more than it could save. One timer looks at all queries and adds listeners to those that last (row `list` of the benchmark).
//
// Invariant: a query that has not ended after twice the interval has a listener, and a query that has ended has none.

/** A query has no listener before it has lasted for this long, in milliseconds, and one after twice as long. */
const interval = 20

/** Stops queries whose clients disconnect. */
export class DisconnectWatch {
  readonly #listQueries: () => Iterable<WatchedQuery>
  #timer: NodeJS.Timeout | undefined

  /** @param listQueries - lists the queries that have begun and have not ended */
  constructor(listQueries: () => Iterable<WatchedQuery>) {
    this.#listQueries = listQueries
  }

  /** Starts the timer; to be called when a query begins. */
  start(): void {
    this.#timer ??= setTimeout(() => this.#tick(), interval).unref()
  }

  #tick(): void {
    this.#timer = undefined
    for (const query of this.#listQueries()) {
      this.start()
      if (query.isSeen) listen(query)
      query.isSeen = true
    }
  }
}

function listen(query: WatchedQuery): void {
  if (query.signal !== undefined || query.createSignal === undefined) return
  query.signal = query.createSignal()
  if (query.signal.aborted) query.stop()
  else query.signal.addEventListener('abort', query.stop, { once: true })
}

/** Removes the listener of a query that has ended. */
export function stopListening({ signal, stop }: WatchedQuery): void {
  signal?.removeEventListener('abort', stop)
}
