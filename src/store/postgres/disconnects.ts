/** A read that is to be stopped when its client disconnects. */
export interface CancellableQuery {
  /** Makes the signal of the disconnect; called for reads that last. */
  readonly signal: () => AbortSignal
  readonly stop: () => void
}

/** How long a read lasts before its client is listened to, in milliseconds: at least once, at most twice this. */
const interval = 20

/**
 * Stops reads whose clients disconnect. Most reads end within a moment, before it pays to listen for anything: one timer
 * for all of them looks for those that last.
 */
export class DisconnectWatch {
  /** Those that came since the last look, and those that were there before it. */
  #fresh = new Set<CancellableQuery>()
  #older = new Set<CancellableQuery>()
  readonly #listened = new Map<CancellableQuery, AbortSignal>()
  #timer: NodeJS.Timeout | undefined

  add(read: CancellableQuery): void {
    this.#fresh.add(read)
    this.#timer ??= setTimeout(() => this.#look(), interval).unref()
  }

  /** Ends it for a read that is over. */
  delete(read: CancellableQuery): void {
    if (this.#fresh.delete(read) || this.#older.delete(read)) return
    this.#listened.get(read)?.removeEventListener('abort', read.stop)
    this.#listened.delete(read)
  }

  #look(): void {
    for (const read of this.#older) this.#listen(read)
    this.#older.clear()
    const fresh = this.#fresh
    this.#fresh = this.#older
    this.#older = fresh
    const isAnyLeft = fresh.size > 0
    this.#timer = isAnyLeft ? setTimeout(() => this.#look(), interval).unref() : undefined
  }

  #listen(read: CancellableQuery): void {
    const signal = read.signal()
    if (signal.aborted) {
      read.stop()
      return
    }
    this.#listened.set(read, signal)
    signal.addEventListener('abort', read.stop, { once: true })
  }
}
