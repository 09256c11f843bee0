import type { Sql } from '../sql.ts'
import { type QueryParameters, resolveParameter } from './parameter.ts'

/**
 * A declared query that returns ids of a resource type, such as a call of a stored function. Requests filter by it.
 * @typeParam Parameters - the parameters by name
 */
export interface IdQuery<Parameters extends QueryParameters = QueryParameters> {
  readonly parameters: Parameters
  /**
   * Writes the SQL: a `select` with the columns of the id. A pure function, which runs when a statement is compiled; the SQL of each
   * parameter is a bind parameter, or a bind parameter and a default.
   */
  readonly write: (parameters: Readonly<Record<string, Sql>>) => Sql
}

/**
 * Declares a query that returns ids of a resource type. Requests filter by it with `{ name, op: 'call', val }`, where `val` has a value
 * for each parameter, or null. A parameter that is declared by `nullable` or `withDefault` may be omitted.
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

/** Returns the name of the parameter that `filter[query]=text` sends: the only one, or the only required one. */
export function findTextParameter({ parameters }: IdQuery): string | undefined {
  const names = Object.keys(parameters)
  const required = Object.entries(parameters).flatMap(([name, each]) =>
    resolveParameter(each).isRequired ? [name] : [],
  )
  const [only, ...others] = names.length === 1 ? names : required
  return others.length === 0 ? only : undefined
}
