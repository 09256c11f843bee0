import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { ColumnOrigin } from '../../model/catalog.ts'
import { loadSqlite } from '../connection/load-sqlite.ts'

/** A column of a result. */
interface ResultColumn {
  readonly name: string
  /** The type of the table's column; empty for a computed one. */
  readonly type: string
  /** The column of a table that it is, also through views; absent for a computed one. */
  readonly origin?: ColumnOrigin
}

/** Lists the columns of a statement, without running it. */
export function listResultColumns(statement: StatementSync): ResultColumn[] {
  return statement.columns().map(({ name, type, table, column }) => ({
    ...{ name, type: type ?? '' },
    ...(table && column && { origin: { table, column } }),
  }))
}

/**
 * Lists the columns of tables and views that a statement reads, also in views, without running it. The connection has no other
 * authorizer (sqlite.org/c3ref/set_authorizer.html).
 */
export function listReadColumns(database: DatabaseSync, text: string): ColumnOrigin[] {
  const { constants } = loadSqlite()
  const reads: ColumnOrigin[] = []
  database.setAuthorizer((action, table, column) => {
    if (action === constants.SQLITE_READ && table && column) reads.push({ table, column })
    return constants.SQLITE_OK
  })
  try {
    database.prepare(text)
  } finally {
    database.setAuthorizer(null)
  }
  return reads
}
