import { sql } from 'kysely'
import type { ResourceType } from '../../model/model.ts'
import { compileStatement, type Statement } from '../statement.ts'
import { columnAt, type Target, tableAt, tableName } from '../tables.ts'

/**
 * Writes the SQL that has the sequence behind the ids of a type, if there is one, go on after the taken ids that come
 * next. A sequence does not know of ids that it has not given.
 */
export function compileSequenceSkip({ table, id }: ResourceType, { dialect }: Target): Statement {
  const { sql: name } = compileStatement(tableName(table), dialect)
  const [one, next] = [columnAt(0, id.column), columnAt(1, id.column)]
  const isLast = sql`not exists (select 1 from ${tableAt(1, table)} where ${next} = ${one} + 1)`
  const last = sql`select min(${one}) from ${tableAt(0, table)}
    where ${one} >= pg_sequence_last_value(s::regclass) and ${one} < 9223372036854775807 and ${isLast}`
  return compileStatement(
    sql`select setval(s::regclass, (${last}))
      from pg_get_serial_sequence(${sql.lit(name)}, ${sql.lit(id.column)}) as s where s is not null`,
    dialect,
  )
}
