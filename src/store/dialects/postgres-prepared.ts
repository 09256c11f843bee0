import type { Statement } from '../statement.ts'

/** How many statements a connection keeps. One of a long filter takes the server some 80 kB, its plan with it. */
export const mostPrepared = 500

/** The statements that the server keeps for a connection: the last used, so many and no more. */
export class PreparedStatements {
  /** Their names; the longest unused first. */
  readonly #names = new Map<Statement, string>()
  readonly #free: string[] = []

  /** The name of a statement that is there; `undefined` for one that is not. */
  nameOf(statement: Statement): string | undefined {
    const name = this.#names.get(statement)
    if (name === undefined) return undefined
    this.#names.delete(statement)
    this.#names.set(statement, name)
    return name
  }

  /** Names a statement that is to be prepared. Another may be there under the name, and has to be closed first. */
  add(statement: Statement): string {
    const name = this.#free.pop() ?? this.#oldest() ?? `lapidary_${this.#names.size}`
    this.#names.set(statement, name)
    return name
  }

  /** Takes a statement back of which nobody knows whether it was prepared. */
  forget(statement: Statement): void {
    const name = this.#names.get(statement)
    if (name === undefined) return
    this.#names.delete(statement)
    this.#free.push(name)
  }

  #oldest(): string | undefined {
    if (this.#names.size < mostPrepared) return undefined
    for (const [statement, name] of this.#names) {
      this.#names.delete(statement)
      return name
    }
    return undefined
  }
}
