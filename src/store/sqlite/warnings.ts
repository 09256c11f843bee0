import { sql } from 'kysely'
import type { Catalog } from '../../model/catalog.ts'
import type { Model } from '../../model/model.ts'
import {
  type ColumnWarning,
  formatColumnWarnings,
  listServedColumns,
  type ServedColumn,
} from '../declaration-warnings.ts'
import { listIndexWarnings } from '../index-warnings.ts'
import { compileStatement } from '../statement.ts'
import { tableName } from '../tables.ts'
import type { SqliteConnection } from './connection.ts'
import { sqliteDialect as dialect } from './dialect.ts'

/**
 * What differs about the tables of a SQLite database from those that would be made for the model: columns of texts under
 * a collation of their own, a line for each table, and relationships that no index serves.
 */
export function sqliteRemarks(
  model: Model,
  catalog: Catalog,
  connection: SqliteConnection,
): string[] {
  const differences = listServedColumns(model).flatMap((column): ColumnWarning[] => {
    const message = column.kind.codec === 'text' ? differenceOf(column, connection) : undefined
    return message === undefined ? [] : [{ column, message, fix: `"${column.column}"` }]
  })
  return [
    ...formatColumnWarnings(
      differences,
      ({ name }, columns) => `make "${name}" anew with ${columns.join(', ')} collate binary`,
    ),
    ...listIndexWarnings(model, catalog),
  ]
}

/** No catalog tells of a collation, but a comparison under it does. */
function differenceOf(
  { table, column }: ServedColumn,
  connection: SqliteConnection,
): string | undefined {
  const one = sql`select ${sql.id(column)} as x from ${tableName(table)} where 0 union all select 'a'`
  const asked = compileStatement(sql`select x = 'A', x = 'a ' from (${one})`, dialect)
  const [[ofCase, ofSpaces] = []] = connection.all(asked, { parameters: [] })
  const rest = 'in filters, sorting, keys and unique constraints'
  if (ofCase === 1) return `the collation nocase does not tell upper from lower case ${rest}`
  return ofSpaces === 1
    ? `the collation rtrim does not count spaces at the end of a text ${rest}`
    : undefined
}
