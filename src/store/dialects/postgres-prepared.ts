import type { Statement } from '../statement.ts'

/** What the rows of a statement are made of. */
export interface Columns {
  readonly names: readonly string[]
  /** How the text of each value is read. */
  readonly readers: readonly ((text: string) => unknown)[]
}

/** How many statements a connection keeps. One of a long filter takes the server some 80 kB, its plan with it. */
export const mostPrepared = 500

/** A statement that the server keeps for a connection. */
export interface Prepared {
  readonly name: string
  /** What its rows are made of, once the server has said it: it does not change while the statement is kept. */
  columns: Columns | undefined
}

/** The statements that the server keeps for a connection: the last used, so many and no more. */
export class PreparedStatements {
  /** The longest unused first. */
  readonly #kept = new Map<Statement, Prepared>()
  readonly #free: string[] = []
  readonly #met = new WeakSet<Statement>()

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

  /** Names a statement that is to be prepared. Another may be there under the name, and has to be closed first. */
  add(statement: Statement): Prepared {
    const name = this.#free.pop() ?? this.#oldest() ?? `lapidary_${this.#kept.size}`
    const prepared = { name, columns: undefined }
    this.#kept.set(statement, prepared)
    return prepared
  }

  /** Takes a statement back of which nobody knows whether it was prepared. */
  forget(statement: Statement): void {
    const prepared = this.#kept.get(statement)
    if (prepared === undefined) return
    this.#kept.delete(statement)
    this.#free.push(prepared.name)
  }

  #oldest(): string | undefined {
    if (this.#kept.size < mostPrepared) return undefined
    for (const [statement, { name }] of this.#kept) {
      this.#kept.delete(statement)
      return name
    }
    return undefined
  }
}
