import { sql } from 'kysely'
import type { Table } from '../../model/model.ts'
import { compileStatement } from '../statement.ts'
import { tableName } from '../tables.ts'
import type { SqliteConnection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'

/** A collation that every SQLite database has; `foreign` is one that only another program has, so that SQLite compares nothing by it. */
type SqliteCollation = 'binary' | 'nocase' | 'rtrim' | 'foreign'

/** Returns the collation of a column. No pragma returns it, so comparisons of the column are observed. */
export function observeCollation(
  connection: SqliteConnection,
  table: Table,
  column: string,
): SqliteCollation {
  if (table.call) return 'binary'
  const value = sql`select ${sql.id(column)} as x from ${tableName(table)} where 0 union all select 'a'`
  const comparisons = compileStatement(sql`select x = 'A', x = 'a ' from (${value})`, sqliteDialect)
  try {
    const [[ignoresCase, ignoresSpaces] = []] = connection.all(comparisons, { planValues: [] })
    if (ignoresCase === 1) return 'nocase'
    return ignoresSpaces === 1 ? 'rtrim' : 'binary'
  } catch (error) {
    if (isCollationMissing(error)) return 'foreign'
    throw error
  }
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
