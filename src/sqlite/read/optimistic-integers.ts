import type { BoundValue } from '../../model/dialect.ts'
import type { PreparedStatement } from '../connection/prepared.ts'

// Optimistic integer reading. `node:sqlite` reads all integers of a statement as numbers, and throws at one that a number
// cannot represent, or all of them as bigints. A statement reads numbers until the first integer beyond 2^53 - 1. From then on
// it reads bigints and converts the small ones. With bigints from the start, the reads and serialization of rows `list` and
// `included` of the benchmark take 9 % longer.
//
// Invariant: the values are the same in both modes. A statement that threw runs again from its first row. A single statement
// sees one snapshot, and an iterated one runs in a transaction, so it returns the same rows again. One that writes must not run again: it
// reads bigints from the start.

/** Returns every row. Integers beyond 2^53 - 1 are bigints. */
export function readRows(
  prepared: PreparedStatement,
  boundValues: readonly BoundValue[],
): unknown[][] {
  try {
    // The types of Node.js describe rows as objects only.
    const rows = prepared.handle.all(...boundValues) as unknown as unknown[][]
    if (prepared.readsBigInts) for (const row of rows) convertBigInts(row)
    return rows
  } catch (error) {
    if (!isFirstLargeInteger(error, prepared)) throw error
    switchToBigInts(prepared)
    return readRows(prepared, boundValues)
  }
}

/**
 * Creates a function that returns the next row each time, and `undefined` after the last one. It must be called in a
 * transaction.
 */
export function createRowReader(
  prepared: PreparedStatement,
  boundValues: readonly BoundValue[],
): () => unknown[] | undefined {
  const iterate = () => prepared.handle.iterate(...boundValues) as unknown as Iterator<unknown[]>
  let rows = iterate()
  let rowCount = 0
  const readNext = (): unknown[] | undefined => {
    const { done, value } = rows.next()
    if (done) return undefined
    rowCount += 1
    return prepared.readsBigInts ? convertBigInts(value) : value
  }
  return () => {
    try {
      return readNext()
    } catch (error) {
      if (!isFirstLargeInteger(error, prepared)) throw error
      switchToBigInts(prepared)
      rows = iterate()
      for (let skipped = 0; skipped < rowCount; skipped += 1) rows.next()
      return readNext()
    }
  }
}

/** Whether an error is the first integer that a number cannot represent. */
function isFirstLargeInteger(error: unknown, { readsBigInts }: PreparedStatement): boolean {
  const isOutOfRange =
    error instanceof RangeError && 'code' in error && error.code === 'ERR_OUT_OF_RANGE'
  return isOutOfRange && !readsBigInts
}

/** Makes a statement read all integers as bigints from now on. */
export function switchToBigInts(prepared: PreparedStatement): void {
  prepared.readsBigInts = true
  prepared.handle.setReadBigInts(true)
}

/** Converts the bigints of a row in place. */
function convertBigInts(row: unknown[]): unknown[] {
  for (const [index, value] of row.entries()) row[index] = toNumberIfSafe(value)
  return row
}

/** Converts a bigint to a number if it is a safe integer; returns anything else as it is. */
function toNumberIfSafe(value: unknown): unknown {
  const isSafe = typeof value === 'bigint' && Number.isSafeInteger(Number(value))
  return isSafe ? Number(value) : value
}

/** Converts the bigints of an object that are safe integers. */
export function convertRecord(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, toNumberIfSafe(value)]),
  )
}
