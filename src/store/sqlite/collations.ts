import { sql } from 'kysely'
import type { Table } from '../../model/model.ts'
import { compileStatement } from '../statement.ts'
import { tableName } from '../tables.ts'
import type { SqliteConnection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'

/** A collation that every SQLite database has; `foreign` is one that only another program has, so that SQLite compares nothing by it. */
export type SqliteCollation = 'binary' | 'nocase' | 'rtrim' | 'foreign'

/** Returns the collation of a column. No pragma returns it, so comparisons of the column are observed. */
function observeCollation(
  connection: SqliteConnection,
  table: Table,
  column: string,
): SqliteCollation {
  if (table.call) return 'binary'
  try {
    return compareColumns(connection, table, [column])[0] ?? 'binary'
  } catch (error) {
    if (isCollationMissing(error)) return 'foreign'
    throw error
  }
}

/** The columns of a statement that observes collations: SQLite returns 2,000 columns at most, and has two for each. */
const maxObserved = 500

/** Returns the collations of columns of a table, by one statement for many of them. */
export function observeCollations(
  connection: SqliteConnection,
  table: Table,
  columns: readonly string[],
): readonly SqliteCollation[] {
  if (table.call) return columns.map(() => 'binary')
  try {
    return Array.from({ length: Math.ceil(columns.length / maxObserved) }, (_, at) =>
      columns.slice(at * maxObserved, (at + 1) * maxObserved),
    ).flatMap((part) => compareColumns(connection, table, part))
  } catch (error) {
    if (!isCollationMissing(error)) throw error
    return columns.map((column) => observeCollation(connection, table, column))
  }
}

function compareColumns(
  connection: SqliteConnection,
  table: Table,
  columns: readonly string[],
): SqliteCollation[] {
  const named = columns.map((column, at) => sql`${sql.id(column)} as ${sql.id(`x${at}`)}`)
  const texts = columns.map(() => sql`'a'`)
  const value = sql`select ${sql.join(named)} from ${tableName(table)} where 0 union all select ${sql.join(texts)}`
  const compared = columns.flatMap((_, at) =>
    ['A', 'a '].map((text) => sql`${sql.id(`x${at}`)} = ${sql.lit(text)}`),
  )
  const statement = compileStatement(
    sql`select ${sql.join(compared)} from (${value})`,
    sqliteDialect,
  )
  const [row = []] = connection.all(statement, { planValues: [] })
  return columns.map((_, at) => {
    if (row[2 * at] === 1) return 'nocase'
    return row[2 * at + 1] === 1 ? 'rtrim' : 'binary'
  })
}

/** Whether a table may have a collation that only another program has. To observe the columns of all tables would take long. */
export function mentionsForeignCollation(connection: SqliteConnection): boolean {
  return connection
    .introspect("select sql from sqlite_schema where sql like '%collate%'")
    .some(([text]) => /\bcollate\s+(?!["'`[]?(?:binary|nocase|rtrim)\b)/i.test(String(text)))
}

/** True for the error of SQLite that it does not have the collation of a column. */
function isCollationMissing(error: unknown): boolean {
  return error instanceof Error && /^no such collation sequence/.test(error.message)
}

/** Returns the collation of a column of a table. */
export type SqliteCollationLookup = (table: Table, column: string) => SqliteCollation

/** Creates a function that returns the collation of a column. It observes each column once. */
export function createCollationLookup(connection: SqliteConnection): SqliteCollationLookup {
  const known = new Map<string, SqliteCollation>()
  return (table, column) => {
    const key = JSON.stringify([table.name, column])
    const observed = known.get(key) ?? observeCollation(connection, table, column)
    known.set(key, observed)
    return observed
  }
}
