import type { Statement } from '../statement.ts'
import { defaultCacheSize } from '../statement-cache.ts'

/** What the rows of a statement are made of. */
export interface Columns {
  readonly names: readonly string[]
  /** How the text of each value is read. */
  readonly readers: readonly ((text: string) => unknown)[]
}

/** How many statements a connection keeps where a store keeps as much as it does by default. */
const usual = 500
/** How many bytes of a store's compiled statements make up for one byte of text that a connection keeps prepared. */
const share = 64

/** How much a connection keeps prepared. The server holds some hundred bytes for each of the text, its plan with it. */
export interface PreparedBounds {
  readonly statements: number
  /** Characters of their texts in all. */
  readonly length: number
}

/**
 * How much a connection keeps prepared, in proportion to what the store keeps.
 * @param statementCache - bytes of compiled statements
 */
export function preparedBounds(statementCache: number): PreparedBounds {
  const statements = Math.max(Math.round((usual * statementCache) / defaultCacheSize), 10)
  return { statements, length: Math.floor(statementCache / share) }
}

/** A statement that the server keeps for a connection. */
export interface Prepared {
  readonly name: string
  /** What its rows are made of, once the server has said it: it does not change while the statement is kept. */
  columns: Columns | undefined
}

/** A statement that is about to be prepared. */
interface Added {
  readonly prepared: Prepared
  /** The names of those that are to be closed before. */
  readonly closing: readonly string[]
}

/** The statements that the server keeps for a connection: the last used, as many as the bounds allow. */
export class PreparedStatements {
  readonly #bounds: PreparedBounds
  #length = 0
  #names = 0
  /** The longest unused first. */
  readonly #kept = new Map<Statement, Prepared>()
  readonly #free: string[] = []
  readonly #met = new WeakSet<Statement>()

  /** @param statementCache - bytes of compiled statements that the store keeps */
  constructor(statementCache: number) {
    this.#bounds = preparedBounds(statementCache)
  }

  /**
   * Whether a statement has come before. One that comes for the first time may never come again: to prepare it under a
   * name would cost more than to run it without, and another would have to go.
   */
  hasMet(statement: Statement): boolean {
    if (this.#met.has(statement)) return true
    this.#met.add(statement)
    return false
  }

  /** Whether a statement is there, without using it. */
  has(statement: Statement): boolean {
    return this.#kept.has(statement)
  }

  /** A statement that is there; `undefined` for one that is not. */
  get(statement: Statement): Prepared | undefined {
    const prepared = this.#kept.get(statement)
    if (prepared === undefined) return undefined
    this.#kept.delete(statement)
    this.#kept.set(statement, prepared)
    return prepared
  }

  /** Names a statement that is to be prepared; `undefined` for one that is longer than all that may be kept. */
  add(statement: Statement): Added | undefined {
    const { length } = statement.sql
    const { statements, length: mostLength } = this.#bounds
    if (length > mostLength) return undefined
    const closing: string[] = []
    for (const [oldest, { name }] of this.#kept) {
      if (this.#kept.size < statements && this.#length + length <= mostLength) break
      this.forget(oldest)
      closing.push(name)
    }
    const free = this.#free.pop()
    // Nobody knows whether the server has a statement under a name that was given back.
    if (free !== undefined && !closing.includes(free)) closing.push(free)
    const prepared = { name: free ?? `lapidary_${this.#names++}`, columns: undefined }
    this.#kept.set(statement, prepared)
    this.#length += length
    return { prepared, closing }
  }

  /** Takes a statement back: to make room, or because nobody knows whether it was prepared. */
  forget(statement: Statement): void {
    const prepared = this.#kept.get(statement)
    if (prepared === undefined) return
    this.#kept.delete(statement)
    this.#length -= statement.sql.length
    this.#free.push(prepared.name)
  }
}
