import type { StatementSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import type { Statement } from '../../sql/statement.ts'
import type { StatementFacts } from '../catalog/statement-facts.ts'

/** Methods that `StatementSync` has from Node.js 26 on; its types lack them. */
interface StatementMemory {
  /** Returns a counter of the statement (sqlite.org/c3ref/c_stmtstatus_counter.html). */
  stat(counter: 'memused' | 'vmStep'): number
  resetStats(): void
  /** Frees the statement. */
  close(): void
}

/** A prepared statement of a connection. Its rows are arrays. */
export interface PreparedStatement {
  readonly handle: StatementSync & Partial<StatementMemory>
  /** Whether integers are read as bigints (`optimistic-integers.ts`). */
  readsBigInts: boolean
  readonly facts: StatementFacts
}

/** The estimated memory of a prepared statement in bytes: of each one, and of each character of its SQL. */
const [statementOverhead, bytesPerCharacter] = [4000, 10]
/** The most prepared queries about the file, of which each table and each index has a few. */
const maxQueries = 500

/** The prepared statements of a connection. */
export type PreparedStatements = LRUCache<Statement, PreparedStatement>

/**
 * Creates the cache of a connection's prepared statements. It evicts the least recently used ones.
 * @param maxBytes - the memory of all prepared statements
 */
export function createPreparedStatements(maxBytes: number): PreparedStatements {
  return new LRUCache({
    maxSize: Math.max(Math.floor(maxBytes), 1),
    sizeCalculation: sizeOf,
    dispose: finalize,
  })
}

/** Creates the cache of a connection's queries about the file, by their text. */
export function createPreparedQueries(): LRUCache<string, PreparedStatement> {
  return new LRUCache({ max: maxQueries, dispose: finalize, noDisposeOnSet: true })
}

/** The memory of a statement in bytes: as SQLite reports it, or estimated from the SQL before Node.js 26. */
function sizeOf({ handle }: PreparedStatement): number {
  return handle.stat?.('memused') || statementOverhead + bytesPerCharacter * handle.sourceSQL.length
}

/** Frees a statement at once from Node.js 26 on; before, the garbage collector frees it. */
export function finalize({ handle }: PreparedStatement): void {
  handle.close?.()
}
