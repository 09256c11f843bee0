import { sql } from 'kysely'
import type { Dialect, Sql } from '../model/dialect.ts'
import type { TextIndex } from '../model/fields.ts'
import { splitWords } from '../model/texts.ts'
import { quoteIdentifier } from './quote-identifier.ts'
import { type ParameterSource, param, patternParam } from './statement.ts'

/** The text index that an attribute has in a database, and how its columns are compiled. */
interface IndexedText {
  readonly index: TextIndex
  /** The attribute's own column in the index. */
  readonly name: string
  readonly column: (name: string) => Sql
}

/**
 * Compiles `match` by a text index: an FTS5 table of SQLite, or a `tsvector` of PostgreSQL. The index decides what a word is.
 * @param parameter - the number of the parameter with the words
 * @returns `undefined` if the attribute has no index in this database
 */
export function compileIndexedMatch(
  { index, name, column }: IndexedText,
  parameter: ParameterSource,
  dialect: Dialect,
): Sql | undefined {
  if (dialect.name === 'sqlite') {
    if (index.fts === undefined) return undefined
    const table = sql.id(index.fts)
    const query = patternParam(parameter, 'match', ({ text }) => formatFtsQuery(text, name))
    return sql`${column('rowid')} in (select rowid from ${table} where ${table} match coalesce(${query}, ${sql.lit(nothing)}))`
  }
  if (index.tsvector === undefined) return undefined
  const words = param(parameter, 'text', dialect)
  const config = sql.lit(index.config ?? 'simple')
  return sql`${column(index.tsvector)} @@ plainto_tsquery(${config}::regconfig, ${words})`
}

/** The empty phrase of FTS5, which finds nothing. Null would be a syntax error. */
const nothing = '""'

/**
 * Formats words as a query of FTS5 that finds all of them in one column, e.g. `"title" : ("ada" AND "lovelace")`. Without words it is
 * the empty phrase, which finds nothing.
 * @see https://www.sqlite.org/fts5.html#full_text_query_syntax
 */
function formatFtsQuery(text: string, column: string): string {
  const words = splitWords(text).map((word) => `"${word}"`)
  return words.length === 0 ? nothing : `${quoteIdentifier(column)} : (${words.join(' AND ')})`
}
