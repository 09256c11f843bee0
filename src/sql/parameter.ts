import { sql } from 'kysely'
import type { ResolvedParameter } from '../model/declare/parameter.ts'
import type { Dialect, Sql } from '../model/dialect.ts'
import { castParam } from './statement.ts'

/**
 * Compiles the value of a parameter of a query or of a table function: what a call sends or, where it sends nothing, the SQL of the
 * default. So all calls have one statement, whatever they omit.
 * @param placeholder - the bind parameter, null for a parameter that is omitted
 */
export function castArgument(
  placeholder: Sql,
  { kind: { codec }, defaultSql }: ResolvedParameter,
  dialect: Dialect,
): Sql {
  const sent = castParam(placeholder, codec, dialect)
  if (defaultSql === undefined) return sent
  return sql`coalesce(${sent}, ${castParam(sql`(${defaultSql})`, codec, dialect)})`
}
