import { findColumnErrors, formatColumn } from '../model/check/check-columns.ts'
import type { TextIndexes } from '../model/database.ts'
import { sql } from '../model/sql.ts'

/** Columns of the type `tsvector`. */
export const textIndexes: TextIndexes = {
  isDeclared: ({ tsvector }) => tsvector !== undefined,
  example: "{ tsvector: '<column>' }",
  findErrors({ location, index: { tsvector = '' }, table }) {
    const position = `${location}.tsvector`
    const errors = findColumnErrors({ location: position, column: tsvector }, table)
    const type = table.columns.get(tsvector)?.type
    if (errors.length > 0 || type === 'tsvector') return errors
    return [
      `${position}: ${formatColumn(tsvector, table)} has the type "${type}"; it must be tsvector`,
    ]
  },
  match({ tsvector = '', config = 'simple' }, columnOf, words) {
    return sql`${columnOf(tsvector)} @@ plainto_tsquery(${sql.lit(config)}::regconfig, ${words})`
  },
}
