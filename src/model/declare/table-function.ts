import type { Kind } from '../kinds/kinds.ts'
import type { ReadResult } from '../kinds/value-result.ts'
import type { Sql } from '../sql.ts'
import {
  listParameters,
  type QueryParameters,
  type ResolvedParameter,
  readArgumentText,
} from './parameter.ts'

/**
 * SQL with parameters that returns the rows of a resource type, such as a call of a stored function. It takes the place of a table.
 * @typeParam Parameters - the parameters by name
 */
export interface TableFunction<Parameters extends QueryParameters = QueryParameters> {
  readonly is: 'table function'
  readonly parameters: Parameters
  /**
   * Writes the SQL: a `select` whose columns the id and the fields read. A pure function, which runs when a statement is compiled; the
   * SQL of each parameter is a bind parameter, or a bind parameter and a default.
   */
  readonly write: (parameters: Readonly<Record<string, Sql>>) => Sql
}

/**
 * Declares a table function: the option `table` of a read-only resource type. A list of the type has a filter with the value of each
 * parameter, `filter[from]=2024-01-01`; the id of a resource begins with these values, so that calls with others return other
 * resources. A parameter that is declared by `nullable` or `withDefault` may be omitted.
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

/** Whether the list of a type needs parameters, so that its path alone is an error. */
export function needsParameters({ call }: Readonly<{ call?: TableFunction }>): boolean {
  return call !== undefined && listParameters(call.parameters).some(([, each]) => each.isRequired)
}

/**
 * Writes an argument as a part of an id: the text that `filter[name]=` takes, empty for null or a parameter that was omitted. Where a
 * call may omit it, a text that is empty or begins with a quotation mark is written as a JSON string.
 */
export function formatArgument({ kind, omitted }: ResolvedParameter, value: unknown): string {
  if (value === null) return ''
  const json = kind.serialize(value)
  if (!json.startsWith('"')) return json
  const text = String(JSON.parse(json))
  return omitted === null && (text === '' || text.startsWith('"')) ? json : text
}

/** Reads a part of an id as an argument; null for one that was omitted. */
export function readIdArgument(parameter: ResolvedParameter, part: string): ReadResult<unknown> {
  const { kind, omitted } = parameter
  if (omitted !== null) return readArgumentText(kind, part)
  return part === '' ? { value: null } : readArgumentText(kind, unquote(part))
}

/** Returns the text of a JSON string; any other text unchanged. */
function unquote(text: string): string {
  if (!text.startsWith('"')) return text
  try {
    return String(JSON.parse(text))
  } catch {
    return text
  }
}

/** Creates the kind of the part of an id that is the text of an argument. */
export function createArgumentKind(parameter: ResolvedParameter): Kind<string> {
  const read = (text: unknown): ReadResult<string> => {
    if (typeof text !== 'string') return { expected: 'a string' }
    const result = readIdArgument(parameter, text)
    return 'value' in result ? { value: formatArgument(parameter, result.value) } : result
  }
  return {
    name: parameter.kind.name,
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
