import { quoteIdentifier } from '../quote-identifier.ts'
import type { SqliteConnection } from './connection.ts'

/** The minimum size of a row in a file, in bytes. */
const minRowSize = 10

/**
 * Estimates the number of rows of a table from its first and last row number. For a view and for a table without row numbers
 * it is the number of rows that the file can hold.
 */
export function estimateRowCount(connection: SqliteConnection, table: string): number {
  const [[pages, pageSize] = []] = connection.introspectCached(
    'select page_count, page_size from pragma_page_count, pragma_page_size',
  )
  const maxRows = (Number(pages) * Number(pageSize)) / minRowSize
  const name = quoteIdentifier(table)
  try {
    // In a query of its own, each of `min` and `max` is one lookup.
    const [[rows] = []] = connection.introspectCached(
      `select cast((select max(rowid) from ${name}) - (select min(rowid) from ${name}) + 1 as real)`,
    )
    return Math.min(Number(rows ?? 0), maxRows)
  } catch {
    return maxRows
  }
}
