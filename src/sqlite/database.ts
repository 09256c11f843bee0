import { SqliteAdapter, SqliteQueryCompiler } from 'kysely'
import { findTable } from '../model/catalog.ts'
import { findColumnErrors } from '../model/check/check-columns.ts'
import { describeMissingTable } from '../model/check/check-relationships.ts'
import type { Database, TextIndexes } from '../model/database.ts'
import type { PathDatabase } from '../model/kinds/json-paths.ts'
import { splitWords } from '../model/kinds/texts.ts'
import { type Sql, sql } from '../model/sql.ts'
import { createCodecs } from '../sql/array-codecs.ts'
import { createCompiler } from '../sql/create-compiler.ts'
import { quoteIdentifier } from '../sql/quote-identifier.ts'
import { sqliteArrays } from './arrays.ts'
import { sqliteCodecs } from './codecs.ts'

/** Compiles the value at a path. */
const readPath: PathDatabase['readPath'] = (column, names, { json, pattern }) => {
  const path = sql.lit(`$${names.map((name) => `."${name}"`).join('')}`)
  const type = sql`json_type(${column}, ${path})`
  const value = sql`json_extract(${column}, ${path})`
  const ifValue = (isValue: Sql, then: Sql) =>
    sql`iif(json_valid(${column}) and ${isValue}, ${then}, null)`
  switch (json) {
    case 'string': {
      const matches = pattern ? sql` and ${value} glob ${sql.lit(pattern[1])}` : sql``
      return ifValue(sql`${type} = 'text'${matches}`, value)
    }
    case 'boolean':
      return ifValue(sql`${type} in ('true', 'false')`, value)
    case 'integer': {
      const whole = sql`cast(${value} as integer)`
      return ifValue(sql`${type} in ('integer', 'real') and ${value} = ${whole}`, whole)
    }
    case 'number': {
      const isInRange = sql`abs(cast(${value} as real)) <= 1.7976931348623157e308`
      return ifValue(
        sql`${type} in ('integer', 'real') and ${isInRange}`,
        sql`cast(${value} as real)`,
      )
    }
  }
}

/** The empty phrase of FTS5, which finds nothing. Null would be a syntax error. */
const nothing = '""'

/** Tables of FTS5, with a column for each text and the rowid of its row. */
const textIndexes: TextIndexes = {
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

/** What SQLite states before a database is opened. */
export const sqlite: Database = {
  name: 'sqlite',
  title: 'SQLite',
  codecs: createCodecs('sqlite', sqliteCodecs, sqliteArrays),
  compiler: createCompiler(new SqliteAdapter(), () => new SqliteQueryCompiler()),
  readPath,
  textIndexes,
  plans: {
    isSorted: (plan) => plan.includes('USE TEMP B-TREE FOR ORDER BY'),
    isPresorted: () => false,
    sortsAll: (plan) => plan.includes('USE TEMP B-TREE FOR ORDER BY'),
    listIndexes(plan) {
      const found = [...plan.matchAll(/USING (?:COVERING )?INDEX (.+?)(?: \(|$)/gm)]
      // A table is read in the order of its integer primary key.
      return found.length > 0 ? found.map(([, name = '']) => name) : ['the primary key']
    },
    usesExpressionIndex: (plan) => plan.includes('<expr>'),
    showsExpressionIndex: (plan) => plan.includes('(<expr>'),
  },
  namesIndexes: true,
  indexesEndWithId: true,
  indexesServeKeys: false,
  removesNegations: false,
  // The driver would bind null instead of some objects.
  canBind: (value) => typeof value !== 'object' || value === null || ArrayBuffer.isView(value),
}
