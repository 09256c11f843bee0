import { sql } from 'kysely'
import type { Table } from '../../model/model.ts'
import { compileStatement } from '../statement.ts'
import { tableName } from '../tables.ts'
import type { SqliteConnection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'

/** What comparisons of a text column ignore. */
interface ObservedCollation {
  readonly ignoresCase: boolean
  readonly ignoresSpaces: boolean
}

/** Returns what comparisons of a column ignore. No pragma returns the collation of a column, so its comparisons are observed. */
export function observeCollation(
  connection: SqliteConnection,
  table: Table,
  column: string,
): ObservedCollation {
  if (table.call) return { ignoresCase: false, ignoresSpaces: false }
  const value = sql`select ${sql.id(column)} as x from ${tableName(table)} where 0 union all select 'a'`
  const comparisons = compileStatement(sql`select x = 'A', x = 'a ' from (${value})`, sqliteDialect)
  const [[ignoresCase, ignoresSpaces] = []] = connection.all(comparisons, { planValues: [] })
  return { ignoresCase: ignoresCase === 1, ignoresSpaces: ignoresSpaces === 1 }
}

/** Creates a function that returns whether comparisons of a column ignore anything. It observes each column once. */
export function createCollationLookup(
  connection: SqliteConnection,
): (table: Table, column: string) => boolean {
  const known = new Map<string, boolean>()
  return (table, column) => {
    const key = JSON.stringify([table.name, column])
    const observed = known.get(key) ?? isInexact(observeCollation(connection, table, column))
    known.set(key, observed)
    return observed
  }
}

function isInexact({ ignoresCase, ignoresSpaces }: ObservedCollation): boolean {
  return ignoresCase || ignoresSpaces
}
