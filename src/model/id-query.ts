import type { Sql } from './dialect.ts'
import type { Kind } from './kinds.ts'

/** The parameters of a query, by name. */
export type QueryParameters = Readonly<Record<string, Kind<unknown>>>

/**
 * A declared query that returns ids of a resource type, such as a call of a stored function. Requests filter by it.
 * @typeParam Parameters - the attribute kind of each parameter, by name
 */
export interface IdQuery<Parameters extends QueryParameters = QueryParameters> {
  readonly parameters: Parameters
  /**
   * Writes the SQL: a `select` with the columns of the id. A pure function, which runs when a statement is compiled; the SQL of each
   * parameter is a bind parameter.
   */
  readonly write: (parameters: Readonly<Record<string, Sql>>) => Sql
}

/**
 * Declares a query that returns ids of a resource type. Requests filter by it with `{ name, op: 'call', val }`, where `val` has a value
 * for each parameter, or null.
 *
 * @param parameters - the attribute kind of each parameter, by name
 * @param write - writes the SQL, e.g. `` ({ words }) => sql`select film_id from search_films(${words})` ``
 */
export function idQuery<const Parameters extends QueryParameters>(
  parameters: Parameters,
  write: (parameters: { readonly [Name in keyof Parameters]: Sql }) => Sql,
): IdQuery<Parameters> {
  // The store passes exactly the declared parameters.
  return { parameters, write: write as unknown as IdQuery['write'] }
}
