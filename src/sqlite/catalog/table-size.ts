import { quoteIdentifier } from '../../sql/quote-identifier.ts'
import type { SqliteConnection } from '../connection/connection.ts'

/** The minimum size of a row in a file, in bytes. */
const minRowSize = 10
/** The number of rows up to which the rows of a table are counted: an index has about 50 of them in a page. */
const maxCountedRows = 5000
/** The size of a small database, in bytes: to scan and sort all of its rows takes less than 10 ms. */
const smallSize = 256 * 1024

/**
 * Estimates the number of rows of a table from its first and last rowid. For a view and for a table without rowids
 * it is the number of rows that the file can hold. A table that is small despite its numbers or its file is counted.
 */
export function estimateRowCount(connection: SqliteConnection, table: string): number {
  const maxRows = measureFile(connection) / minRowSize
  const rows = Math.min(measureRowids(connection, table) ?? maxRows, maxRows)
  if (rows <= maxCountedRows || !isStored(connection, table)) return rows
  const [[counted] = []] = connection.introspectCached(
    `select count(*) from (select 1 from ${quoteIdentifier(table)} limit ${maxCountedRows})`,
  )
  return Number(counted) < maxCountedRows ? Number(counted) : rows
}

/** Returns the number of rowids from the first to the last; `undefined` for a table without them. */
function measureRowids(connection: SqliteConnection, table: string): number | undefined {
  const name = quoteIdentifier(table)
  try {
    // In a query of its own, each of `min` and `max` is one lookup.
    const [[rows] = []] = connection.introspectCached(
      `select cast((select max(rowid) from ${name}) - (select min(rowid) from ${name}) + 1 as real)`,
    )
    return Number(rows ?? 0)
  } catch {
    return undefined
  }
}

/** Whether a table is one whose rows SQLite stores: a view or a virtual table can take any time for the first row. */
function isStored(connection: SqliteConnection, table: string): boolean {
  const found = connection.introspect(
    "select 1 from sqlite_schema where type = 'table' and rootpage > 0 and name = ? collate nocase",
    table,
  )
  return found.length > 0
}

/** Returns the size of the file in bytes. */
function measureFile(connection: SqliteConnection): number {
  const [[pages, pageSize] = []] = connection.introspectCached(
    'select page_count, page_size from pragma_page_count, pragma_page_size',
  )
  return Number(pages) * Number(pageSize)
}

/** Whether a database is so small that no statement without a recursion takes long. */
export function isSmall(connection: SqliteConnection): boolean {
  return measureFile(connection) <= smallSize
}
