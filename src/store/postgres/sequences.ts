import { sql } from 'kysely'
import type { ResourceType } from '../../model/model.ts'
import { compileStatement, type Statement } from '../statement.ts'
import { columnAt, type Target, tableAt, tableName } from '../tables.ts'

/**
 * Compiles the statement that advances the sequence of a type's ids, if there is one, past the taken ids that follow: ids that
 * clients chose, or that were imported.
 */
export function compileSequenceSkip({ table, id }: ResourceType, { dialect }: Target): Statement {
  const [column] = id.columns
  const { sql: name } = compileStatement(tableName(table), dialect)
  const [takenId, nextId] = [columnAt(0, column), columnAt(1, column)]
  const isLast = sql`not exists (select 1 from ${tableAt(1, table)} where ${nextId} = ${takenId} + 1)`
  // A bare name would be a column of the table, if it has one of this name.
  const sequence = sql`s0.name::regclass`
  const lastTaken = sql`select min(${takenId}) from ${tableAt(0, table)}
    where ${takenId} >= pg_sequence_last_value(${sequence}) and ${takenId} < 9223372036854775807 and ${isLast}`
  return compileStatement(
    sql`select setval(${sequence}, (${lastTaken}))
      from pg_get_serial_sequence(${sql.lit(name)}, ${sql.lit(column)}) as s0 (name) where s0.name is not null`,
    dialect,
  )
}
