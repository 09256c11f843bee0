import { findTable } from '../model/catalog.ts'
import { findColumnErrors } from '../model/check/check-columns.ts'
import { describeMissingTable } from '../model/check/check-relationships.ts'
import type { TextIndexes } from '../model/database.ts'
import { splitWords } from '../model/kinds/texts.ts'
import { sql } from '../model/sql.ts'
import { quoteIdentifier } from '../sql/quote-identifier.ts'

/** The empty phrase of FTS5, which finds nothing. Null would be a syntax error. */
const nothing = '""'

/** Tables of FTS5, with a column for each text and the rowid of its row. */
export const textIndexes: TextIndexes = {
  isDeclared: ({ fts }) => fts !== undefined,
  example: "{ fts: '<FTS5 table>' }",
  findErrors({ location, index: { fts = '' }, column, table, catalog }) {
    const position = `${location}.fts`
    if (table.is === 'view')
      return [`${position}: the rows of the view "${table.name}" have no numbers`]
    const name = { schema: undefined, name: fts }
    const stored = findTable(catalog, name)
    return stored === undefined
      ? [describeMissingTable(position, name, catalog)]
      : findColumnErrors({ location: position, column }, stored)
  },
  toQuery: formatFtsQuery,
  match({ fts = '' }, columnOf, query) {
    const table = sql.id(fts)
    return sql`${columnOf('rowid')} in (select rowid from ${table} where ${table} match coalesce(${query}, ${sql.lit(nothing)}))`
  },
}

/**
 * Formats words as a query of FTS5 that finds all of them in one column, e.g. `"title" : ("ada" AND "lovelace")`. Without words it is
 * the empty phrase, which finds nothing.
 * @see https://www.sqlite.org/fts5.html#full_text_query_syntax
 */
function formatFtsQuery(text: string, column: string): string {
  const words = splitWords(text).map((word) => `"${word}"`)
  return words.length === 0 ? nothing : `${quoteIdentifier(column)} : (${words.join(' AND ')})`
}
