import { quoteIdentifier } from '../quote-identifier.ts'
import type { SqliteConnection } from './connection.ts'
import { compileRowSize } from './table-size.ts'

/** The number of rows whose keys are sampled. */
const sampleSize = 20
/** The size of a row up to which its key is read, in bytes: SQLite reads all pages of a row up to a column. */
const maxRowSize = 65_536
/** The number of rows up to which the rows of a key are counted. */
export const maxKeySize = 1000

/**
 * Counts the rows that have the same key as a random row, for some random rows. The more rows a key has, the more probably it
 * is in the sample, so a few keys with many rows are not overlooked. Large rows and those without a key are left out.
 *
 * @param columnCount - the key is this many first columns of the index
 * @returns counts of at most `maxKeySize`; `undefined` for a table without rowids, an index on an expression, and one that
 * does not contain all rows
 */
export function sampleKeySizes(
  connection: SqliteConnection,
  index: string,
  columnCount: number,
): readonly number[] | undefined {
  const rows = connection.introspect(
    `select c.name, m.tbl_name from sqlite_schema as m, pragma_index_info(m.name) as c
      where m.type = 'index' and m.name = ? order by c.seqno`,
    index,
  )
  const columns = rows.slice(0, columnCount).map(([column]) => column)
  if (columns.length < columnCount || columns.includes(null)) return undefined
  try {
    const table = String(rows[0]?.[1])
    const isSmall = `${compileRowSize(connection, table, 'row')} < ${maxRowSize}`
    const sample = compileSample(index, { table, columns: columns.map(String), isSmall })
    const counts = connection.introspectCached(sample)
    return counts.map(([count]) => Number(count)).filter((count) => count > 0)
  } catch {
    return undefined
  }
}

function compileSample(
  index: string,
  {
    table,
    columns,
    isSmall,
  }: Readonly<{ table: string; columns: readonly string[]; isSmall: string }>,
): string {
  const from = quoteIdentifier(table)
  const isSameKey = columns
    .map((column) => `"other".${quoteIdentifier(column)} = "row".${quoteIdentifier(column)}`)
    .join(' and ')
  return `with recursive "sample" (n, low, high, at) as (
      select 0, (select min(rowid) from ${from}), (select max(rowid) from ${from}), null
      union all select n + 1, low, high, low + abs(random() % (high - low + 1)) from "sample" where n < ${sampleSize})
    select case when ${isSmall} then (select count(*) from (
        select 1 from ${from} as "other" indexed by ${quoteIdentifier(index)} where ${isSameKey} limit ${maxKeySize})) end
      from "sample" cross join ${from} as "row"
        on "row".rowid = (select rowid from ${from} where rowid >= "sample".at order by rowid limit 1)`
}
