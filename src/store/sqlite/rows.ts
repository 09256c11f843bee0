import type { StatementSync } from 'node:sqlite'
import type { BoundValue } from '../../model/dialect.ts'

/** What Node can do about the memory of a statement from version 26 on; its types do not know of it. */
interface StatementMemory {
  /** A number that SQLite keeps of the statement (sqlite.org/c3ref/c_stmtstatus_counter.html). */
  stat(counter: 'memused' | 'vmStep'): number
  resetStats(): void
  /** Frees it. */
  close(): void
}

/** A statement as a connection keeps it; its rows are arrays. */
export interface Prepared {
  readonly sync: StatementSync & Partial<StatementMemory>
  /**
   * Whether it has met a whole number that no number holds. Until then it reads numbers, which is faster; from then on
   * bigints, of which the small ones are made numbers.
   */
  meetsLarge: boolean
}

/** Every row, with the whole numbers beyond 2^53 as bigints. */
export function allOf(prepared: Prepared, parameters: readonly BoundValue[]): unknown[][] {
  try {
    // Node's types know of rows as objects only.
    const rows = prepared.sync.all(...parameters) as unknown as unknown[][]
    if (prepared.meetsLarge) for (const row of rows) withNumbers(row)
    return rows
  } catch (error) {
    if (!isFirstLarge(error, prepared)) throw error
    readLarge(prepared)
    return allOf(prepared, parameters)
  }
}

/** Makes what reads the same row by row; after the last row comes `undefined`. Call it in one snapshot. */
export function stepsOf(
  prepared: Prepared,
  parameters: readonly BoundValue[],
): () => unknown[] | undefined {
  const begun = () => prepared.sync.iterate(...parameters) as unknown as Iterator<unknown[]>
  let rows = begun()
  let read = 0
  const next = (): unknown[] | undefined => {
    const { done, value } = rows.next()
    if (done) return undefined
    read += 1
    return prepared.meetsLarge ? withNumbers(value) : value
  }
  return () => {
    try {
      return next()
    } catch (error) {
      if (!isFirstLarge(error, prepared)) throw error
      readLarge(prepared)
      rows = begun()
      for (let again = 0; again < read; again += 1) rows.next()
      return next()
    }
  }
}

/** Whether reading has failed at the first whole number that no number holds. */
function isFirstLarge(error: unknown, { meetsLarge }: Prepared): boolean {
  const isLarge =
    error instanceof RangeError && 'code' in error && error.code === 'ERR_OUT_OF_RANGE'
  return isLarge && !meetsLarge
}

function readLarge(prepared: Prepared): void {
  prepared.meetsLarge = true
  prepared.sync.setReadBigInts(true)
}

/** Makes the bigints of a row numbers where those hold them, in place. */
function withNumbers(row: unknown[]): unknown[] {
  for (const [at, value] of row.entries()) row[at] = asNumber(value)
  return row
}

/** A bigint as a number where one holds it; anything else as it is. */
export function asNumber(value: unknown): unknown {
  const isSmall = typeof value === 'bigint' && Number.isSafeInteger(Number(value))
  return isSmall ? Number(value) : value
}
