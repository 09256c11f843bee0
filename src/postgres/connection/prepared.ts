import type { Statement } from '../../sql/statement.ts'
import { defaultCacheSize } from '../../sql/statement-cache.ts'

/** The columns of a statement's rows. */
export interface Columns {
  readonly names: readonly string[]
  /** The parsers of the values' texts. */
  readonly parsers: readonly ((text: string) => unknown)[]
}

/** The prepared statements of a connection if the store has the default memory for compiled statements. */
const defaultStatements = 500
/** The bytes of the store's compiled statements for each character of prepared SQL on a connection. */
const bytesPerCharacter = 64

/** The limits of a connection's prepared statements. The server uses some hundred bytes for each character, for the plan. */
interface PreparedBounds {
  readonly statements: number
  /** The characters of their SQL in total. */
  readonly length: number
}

/**
 * Computes the limits of a connection's prepared statements in proportion to the memory for compiled statements.
 * @param statementCache - the memory for compiled statements in bytes
 */
export function preparedBounds(statementCache: number): PreparedBounds {
  const statements = Math.max(
    Math.round((defaultStatements * statementCache) / defaultCacheSize),
    10,
  )
  return { statements, length: Math.floor(statementCache / bytesPerCharacter) }
}

/** A prepared statement of a connection. */
export interface Prepared {
  readonly name: string
  /** Its columns, once the server has described them; they do not change. */
  columns: Columns | undefined
  /** When it was last used, counted in uses of any statement of the connection. */
  lastUse: number
}

/** A statement to be prepared. */
interface Added {
  readonly prepared: Prepared
  /** The names to close first. */
  readonly closing: readonly string[]
}

/**
 * The prepared statements of a connection. The least recently used ones are closed to stay within the limits. The server takes
 * longer to prepare a statement than a search for the least recently used one, so they are not kept in order.
 */
export class PreparedStatements {
  readonly #bounds: PreparedBounds
  #length = 0
  #nameCount = 0
  #uses = 0
  readonly #statements = new Map<Statement, Prepared>()
  /** Names of statements that were removed. The server may still have them. */
  readonly #freeNames: string[] = []
  readonly #seen = new WeakSet<Statement>()

  /** @param statementCache - the memory for compiled statements in bytes */
  constructor(statementCache: number) {
    this.#bounds = preparedBounds(statementCache)
  }

  /**
   * Marks a statement as seen. One that runs for the first time is not prepared: it may never be repeated, and to
   * prepare it costs more than to run it.
   * @returns whether it was seen before
   */
  markSeen(statement: Statement): boolean {
    if (this.#seen.has(statement)) return true
    this.#seen.add(statement)
    return false
  }

  /** Whether a statement is prepared; does not count as a use. */
  has(statement: Statement): boolean {
    return this.#statements.has(statement)
  }

  /** Returns a prepared statement, and marks it as the most recently used. */
  get(statement: Statement): Prepared | undefined {
    const prepared = this.#statements.get(statement)
    if (prepared !== undefined) prepared.lastUse = ++this.#uses
    return prepared
  }

  /** Adds a statement to be prepared. @returns `undefined` if it alone exceeds the limits */
  add(statement: Statement): Added | undefined {
    const { length } = statement.sql
    const { statements: maxStatements, length: maxLength } = this.#bounds
    if (length > maxLength) return undefined
    const closing: string[] = []
    while (this.#statements.size >= maxStatements || this.#length + length > maxLength)
      closing.push(this.#removeLeastRecentlyUsed())
    const freeName = this.#freeNames.pop()
    // It is unknown whether the server has a statement of this name.
    if (freeName !== undefined && !closing.includes(freeName)) closing.push(freeName)
    const name = freeName ?? `lapidary_${this.#nameCount++}`
    const prepared = { name, columns: undefined, lastUse: ++this.#uses }
    this.#statements.set(statement, prepared)
    this.#length += length
    return { prepared, closing }
  }

  /** Removes a statement: to make room, or because it is unknown whether it was prepared. */
  forget(statement: Statement): void {
    const prepared = this.#statements.get(statement)
    if (prepared === undefined) return
    this.#statements.delete(statement)
    this.#length -= statement.sql.length
    this.#freeNames.push(prepared.name)
  }

  /** @returns the name of the removed statement */
  #removeLeastRecentlyUsed(): string {
    const all = [...this.#statements]
    const [statement, { name }] = all.reduce((left, right) =>
      left[1].lastUse < right[1].lastUse ? left : right,
    )
    this.forget(statement)
    return name
  }
}
