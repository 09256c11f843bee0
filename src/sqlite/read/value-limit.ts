import type { DatabaseSync } from 'node:sqlite'
import type { StatementFacts } from '../catalog/statement-facts.ts'
import { LargeValueError } from '../errors.ts'

// A read was quick before, and a row can hold a value of any size. So the connection that runs quick reads in the
// server's process reads no large values, and searches in few characters: SQLite stops at the first value that is too large or
// one too many, and the read runs in a reader process (docs/decisions/0041).

/** The maximum size of a value that is read in the server's process, in bytes. */
const maxValueSize = 64 * 1024
/** The maximum size of a text that a statement with one search reads in the server's process, in bytes. More searches share it. */
const maxSearchedSize = 16 * 1024
/** The size that any number of searches may read, in bytes. */
const minSearchedSize = 1024

/** The number of characters in which the SQL functions of a statement may search. A `match` of 1,000,000 takes up to 25 ms. */
const maxSearchedLength = 1_500_000
/** The duration of a call of an SQL function, in characters. */
const callLength = 40

/** SQLite's limits of a connection, which Node.js has from 26 on (sqlite.org/c3ref/limit.html). */
interface Limits {
  /** In bytes of a value. */
  length: number
}

/** Returns the limits of a connection; `undefined` where the runtime cannot change them. */
function limitsOf(database: DatabaseSync): Limits | undefined {
  const limits: unknown = Reflect.get(database, 'limits')
  return typeof limits === 'object' && limits !== null && 'length' in limits
    ? (limits as Limits)
    : undefined
}

/** Limits the size of the values that a connection reads. A larger one is an error of SQLite, `LargeValueError`. */
export class ValueLimit {
  readonly #limits: Limits
  /** Whether the runtime can limit values. */
  readonly isSupported: boolean
  #isSuspended = false
  /** The number of characters in which the SQL functions of the statement may still search. */
  #remainingLength = 0

  constructor(database: DatabaseSync) {
    const limits = limitsOf(database)
    this.isSupported = limits !== undefined
    this.#limits = limits ?? { length: maxValueSize }
    this.#limits.length = maxValueSize
  }

  /** Runs a statement: with the usual limit if it has no searches, otherwise with a lower one. */
  run<Result>({ searches }: StatementFacts, work: () => Result): Result {
    if (searches === 0 || this.#isSuspended) return work()
    this.#remainingLength = maxSearchedLength
    this.#limits.length = Math.max(minSearchedSize, Math.floor(maxSearchedSize / searches))
    try {
      return work()
    } finally {
      this.#limits.length = maxValueSize
    }
  }

  /** Counts a search of an SQL function in a text. @throws LargeValueError when the statement has searched in too many characters */
  countSearch(text: string): void {
    if (this.#isSuspended) return
    this.#remainingLength -= callLength + text.length
    if (this.#remainingLength < 0)
      throw new LargeValueError('The statement searches in too many characters.')
  }

  /** Runs work without a limit: for a single row. */
  suspend<Result>(work: () => Result): Result {
    this.#isSuspended = true
    this.#limits.length = unlimited
    try {
      return work()
    } finally {
      this.#isSuspended = false
      this.#limits.length = maxValueSize
    }
  }
}

/** More than SQLite's own limit, to which it reduces this one. */
const unlimited = 2 ** 31 - 1
