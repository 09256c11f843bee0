import { quoteIdentifier } from '../quote-identifier.ts'
import type { SqliteConnection } from './connection.ts'

/** The minimum size of a row in a file, in bytes. */
const minRowSize = 10
/** The number of rows up to which the rows of a table are counted: an index has about 50 of them in a page. */
const maxCountedRows = 5000
/** The number of rows whose size is measured. */
const sampleSize = 100

/** The estimated size of a table. */
export interface TableSize {
  readonly rows: number
  /** The mean size of a row, in bytes. */
  readonly rowSize: number
}

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

/**
 * Estimates the mean size of the rows of a table from random ones.
 * Rows that random numbers do not find are as large as the file allows.
 */
export function estimateRowSize(
  connection: SqliteConnection,
  table: string,
  rowCount: number,
): number {
  const maxSize = measureFile(connection) / Math.max(1, rowCount)
  return Math.min(sampleRowSize(connection, table) ?? maxSize, maxSize)
}

/**
 * Compiles the size of a row in bytes. SQLite reads the header of the row for it, not its values: of texts and blobs the type and
 * the length, of other values the type.
 * @param row - the alias of the row
 */
export function compileRowSize(connection: SqliteConnection, table: string, row: string): string {
  const sizes = connection
    .introspect('select name from pragma_table_info(?)', table)
    .map(([column]) => `${quoteIdentifier(row)}.${quoteIdentifier(String(column))}`)
    .map(
      (value) =>
        `iif(typeof(${value}) = 'text' or typeof(${value}) = 'blob', octet_length(${value}), 8)`,
    )
  return sizes.join(' + ')
}

function sampleRowSize(connection: SqliteConnection, table: string): number | undefined {
  const name = quoteIdentifier(table)
  try {
    const [[mean] = []] = connection.introspectCached(
      `with recursive "sample" (n, low, high) as (
         select 1, (select min(rowid) from ${name}), (select max(rowid) from ${name})
         union all select n + 1, low, high from "sample" where n < ${sampleSize})
       select avg(${compileRowSize(connection, table, 'row')}) from ${name} as "row"
       where rowid in (select low + abs(random() % (high - low + 1)) from "sample")`,
    )
    return mean === null ? undefined : Number(mean)
  } catch {
    return undefined
  }
}
