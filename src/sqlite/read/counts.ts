import type { LRUCache } from 'lru-cache'
import type { ParameterValue } from '../../model/dialect.ts'
import { addReadable, type Reading } from '../../observe/readings.ts'
import type { Row } from '../../plan/row-layout.ts'
import { countKey, createCountCache } from '../../sql/read/count-cache.ts'
import { readCount } from '../../sql/read/execute-read-sequence.ts'
import type { QueryRequest } from '../../sql/read/stream.ts'
import type { Statement } from '../../sql/statement.ts'
import { bound } from '../../sql/statement-values.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import type { Measure } from '../readers/read-history.ts'

// Count cache. To count the rows of all pages SQLite visits each row, so a count is cached until the database changes. Rows
// `list` and `deep` of the benchmark at 100,000 persons: 22 and 44 times the throughput of the baseline, which counts each
// time (docs/decisions/0029).
//
// Invariant: the cache validator is the version of the database in the snapshot of the page. It changes with every commit of
// another connection and with every write transaction of this one. Counts that call a volatile function are not cached.
// Nothing but a count fills the cache.

/** The counts of a connection that does not write. */
export class SqliteCountCache {
  readonly #connection: SqliteConnection
  readonly #counts: LRUCache<string, number> = createCountCache<number>()
  #version: number | undefined
  #hits = 0
  #misses = 0

  constructor(connection: SqliteConnection) {
    this.#connection = connection
    addReadable(this)
  }

  /** What telemetry asks of it. */
  readings(): readonly Reading[] {
    return [
      { name: 'count cache hits', value: this.#hits },
      { name: 'count cache misses', value: this.#misses },
    ]
  }

  /** Runs a query in a snapshot, a count from the cache if it is there. @param measure - runs a count that is not */
  query(request: QueryRequest, measure: Measure): readonly Row[] {
    const { statement, values, isCount } = request
    if (!isCount) return this.#connection.all(statement, values)
    const count = (run: () => number) => measure(request, run)
    return [[this.count(statement, bound(statement, values), count)]]
  }

  /**
   * Counts, in a snapshot.
   * @param values - in the order of the placeholders
   * @param measure - runs the count if it is not in the cache
   */
  count(
    statement: Statement,
    values: readonly ParameterValue[],
    measure: (run: () => number) => number,
  ): number {
    const countRows = () => readCount(this.#connection.rawRows(statement, values))
    if (this.#connection.factsOf(statement).isVolatile) return measure(countRows)
    const version = this.#connection.version()
    if (version !== this.#version) this.#counts.clear()
    this.#version = version
    const key = countKey(statement, values)
    const cached = this.#counts.get(key)
    if (cached !== undefined) {
      this.#hits += 1
      return cached
    }
    this.#misses += 1
    const count = measure(countRows)
    this.#counts.set(key, count)
    return count
  }
}
