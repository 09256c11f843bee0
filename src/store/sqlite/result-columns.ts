import type { StatementSync } from 'node:sqlite'
import type { ColumnOrigin } from '../../model/catalog.ts'

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
