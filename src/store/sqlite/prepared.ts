import type { Statement } from '../statement.ts'
import type { Prepared } from './rows.ts'

/**
 * The prepared statements of a connection, bounded by bytes: an LRU cache by generations. A lookup in the common case is
 * one of a `Map`, which an exact order of use would double; each half of the memory is freed as a whole when the other
 * half is full.
 */
export class PreparedCache {
  readonly #half: number
  #young = new Map<Statement, Prepared>()
  #old = new Map<Statement, Prepared>()
  #youngSize = 0

  /** @param bytes - how much memory all statements may take */
  constructor(bytes: number) {
    this.#half = bytes / 2
  }

  /** The prepared statement; `undefined` when it is not there, or not any more. */
  get(statement: Statement): Prepared | undefined {
    const found = this.#young.get(statement)
    if (found !== undefined) return found
    const old = this.#old.get(statement)
    if (old === undefined) return undefined
    this.#old.delete(statement)
    this.add(statement, old)
    return old
  }

  /** Keeps a prepared statement; others that were not used for long are freed for it. */
  add(statement: Statement, prepared: Prepared): void {
    this.#young.set(statement, prepared)
    this.#youngSize += sizeOf(prepared)
    if (this.#youngSize < this.#half) return
    for (const each of this.#old.values()) finalize(each)
    this.#old = this.#young
    this.#young = new Map()
    this.#youngSize = 0
  }
}

/** What a statement takes of memory: SQLite says it, from Node 26 on; before, it is estimated from its text. */
function sizeOf({ sync }: Prepared): number {
  return sync.stat?.('memused') || 4000 + 10 * sync.sourceSQL.length
}

/** Frees a statement at once, where Node can; else it goes with the garbage. */
export function finalize({ sync }: Prepared): void {
  sync.close?.()
}
