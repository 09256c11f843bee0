/** A query that is cancelled when its client disconnects. */
export interface CancellableQuery {
  /** Creates the signal that aborts when the client disconnects; called for long queries only. */
  readonly signal: () => AbortSignal
  /** Cancels the query. */
  readonly stop: () => void
}

// Deferred disconnect listeners. Most queries end within a millisecond, and to create a signal and a listener for each would cost
// more than it could save. One timer for all queries adds listeners to those that last.
//
// Invariant: a query that runs for twice the interval has a listener, and a query that ended has none.

/** A query has no listener before it has run for this long, in milliseconds, and one after twice as long. */
const interval = 20

/** Cancels queries whose clients disconnect. */
export class DisconnectWatch {
  /** The queries that began after the last tick of the timer. */
  #newQueries = new Set<CancellableQuery>()
  /** The queries that began before the last tick. */
  #oldQueries = new Set<CancellableQuery>()
  readonly #signals = new Map<CancellableQuery, AbortSignal>()
  #timer: NodeJS.Timeout | undefined

  /** Adds a query that begins. */
  add(query: CancellableQuery): void {
    this.#newQueries.add(query)
    this.#timer ??= setTimeout(() => this.#tick(), interval).unref()
  }

  /** Removes a query that has ended. */
  delete(query: CancellableQuery): void {
    if (this.#newQueries.delete(query) || this.#oldQueries.delete(query)) return
    this.#signals.get(query)?.removeEventListener('abort', query.stop)
    this.#signals.delete(query)
  }

  #tick(): void {
    for (const query of this.#oldQueries) this.#listen(query)
    this.#oldQueries.clear()
    const newQueries = this.#newQueries
    this.#newQueries = this.#oldQueries
    this.#oldQueries = newQueries
    const isActive = newQueries.size > 0
    this.#timer = isActive ? setTimeout(() => this.#tick(), interval).unref() : undefined
  }

  #listen(query: CancellableQuery): void {
    const signal = query.signal()
    if (signal.aborted) {
      query.stop()
      return
    }
    this.#signals.set(query, signal)
    signal.addEventListener('abort', query.stop, { once: true })
  }
}
