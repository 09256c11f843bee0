import type { Sql } from './dialect.ts'
import type { QueryParameters } from './id-query.ts'
import type { Kind } from './kinds.ts'
import type { ReadResult } from './value-result.ts'

/**
 * SQL with parameters that returns the rows of a resource type, such as a call of a stored function. It takes the place of a table.
 * @typeParam Parameters - the attribute kind of each parameter, by name
 */
export interface TableFunction<Parameters extends QueryParameters = QueryParameters> {
  readonly is: 'table function'
  readonly parameters: Parameters
  /**
   * Writes the SQL: a `select` whose columns the id and the fields read. A pure function, which runs when a statement is compiled; the
   * SQL of each parameter is a bind parameter.
   */
  readonly write: (parameters: Readonly<Record<string, Sql>>) => Sql
}

/**
 * Declares a table function: the option `table` of a read-only resource type. A list of the type has a filter with the value of each
 * parameter, `filter[from]=2024-01-01`; the id of a resource begins with these values (docs/decisions/0076).
 *
 * @param parameters - the attribute kind of each parameter, by name
 * @param write - writes the SQL, e.g. `` ({ from }) => sql`select * from sales_since(${from})` ``
 */
export function tableFunction<const Parameters extends QueryParameters>(
  parameters: Parameters,
  write: (parameters: { readonly [Name in keyof Parameters]: Sql }) => Sql,
): TableFunction<Parameters> {
  // The store passes exactly the declared parameters.
  return { is: 'table function', parameters, write: write as unknown as TableFunction['write'] }
}

/** The column of a table function's rows that contains the text of an argument. No declared column has such a name. */
export function toArgumentColumn(parameter: string): string {
  return `:${parameter}`
}

/** Writes an argument as a part of an id: the text that `filter[name]=` takes. */
export function formatArgument<Value>(kind: Kind<Value>, value: Value): string {
  const json = kind.serialize(value)
  return json.startsWith('"') ? String(JSON.parse(json)) : json
}

/** Creates the kind of the part of an id that is the text of an argument. */
export function createArgumentKind(kind: Kind<unknown>): Kind<string> {
  const read = (text: unknown): ReadResult<string> => {
    if (typeof text !== 'string') return { expected: 'a string' }
    const result = kind.readFilterText(text)
    return 'value' in result ? { value: formatArgument(kind, result.value) } : result
  }
  return {
    name: kind.name,
    comparesAs: 'text',
    operators: 'ordered',
    readBody: read,
    readFilterValue: read,
    readFilterText: read,
    serialize: JSON.stringify,
    schema: { type: 'string' },
    codec: 'text',
  }
}
