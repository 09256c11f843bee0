import type { RawBuilder } from 'kysely'

/** Writes SQL, e.g. `` sql`lower(${column('name')})` ``. Values in `${}` are bound; they never become SQL text. */
export { sql } from 'kysely'

/** A search pattern, for databases that compile it once for all rows. */
export interface TextPattern {
  readonly is: PatternName
  readonly text: string
}

/** The operators that take a search pattern. */
export type PatternName = 'like' | 'ilike' | 'match'

/** A value that a driver can bind. */
export type BoundValue = null | string | number | bigint | Uint8Array

/** The value of a bind parameter: a value for the driver, or a pattern that the connection compiles first. */
export type ParameterValue = BoundValue | TextPattern

/** A fragment of SQL with its bound values. */
export type Sql = RawBuilder<unknown>

/** True for a fragment of SQL: what `sql` returns. */
export function isSql(value: unknown): value is Sql {
  return typeof value === 'object' && value !== null && 'toOperationNode' in value
}
