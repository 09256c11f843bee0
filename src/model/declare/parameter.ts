import { parseExactJson } from '../kinds/json.ts'
import type { Kind } from '../kinds/kinds.ts'
import type { ReadResult } from '../kinds/value-result.ts'
import { isSql, type Sql } from '../sql.ts'

/** A parameter that a call may omit or set to null. Created by `nullable`. */
export interface NullableParameter<Value = unknown> {
  readonly kind: Kind<Value>
  readonly nullable: true
}

/** A parameter that a call may omit, with the value that it then has. Created by `withDefault`. */
export interface DefaultParameter<Value = unknown> {
  readonly kind: Kind<Value>
  readonly default: Value | Sql
}

/** A parameter of a query or of a table function. */
export type QueryParameter = Kind<unknown> | NullableParameter | DefaultParameter

/** The parameters of a query or of a table function, by name: an attribute kind, `nullable` or `withDefault` of one. */
export type QueryParameters = Readonly<Record<string, QueryParameter>>

/** Declares a parameter that a call may omit or set to null. */
export function nullable<Value>(kind: Kind<Value>): NullableParameter<Value> {
  return { kind, nullable: true }
}

/**
 * Declares a parameter of a query or of a table function that a call may omit. Null is not a value of it.
 * @param value - the value that it then has, or SQL of it, e.g. `` sql`current_date` ``
 */
export function withDefault<Value>(
  kind: Kind<Value>,
  value: NoInfer<Value> | Sql,
): DefaultParameter<Value> {
  return { kind, default: value }
}

/** What a call sends for a parameter, and what an omitted one is. */
export interface ResolvedParameter {
  readonly kind: Kind<unknown>
  /** Whether a call must send it. */
  readonly isRequired: boolean
  /** Whether a call may send null. */
  readonly isNullable: boolean
  /** The value of an omitted parameter; null where `defaultSql` has it, `undefined` for a required one. */
  readonly omitted: unknown
  /** The SQL of the value of an omitted parameter. */
  readonly defaultSql?: Sql
}

/** Returns the kind of a parameter, and what a call may omit. */
export function resolveParameter(parameter: QueryParameter): ResolvedParameter {
  if ('nullable' in parameter)
    return { kind: parameter.kind, isRequired: false, isNullable: true, omitted: null }
  if (!('default' in parameter))
    return { kind: parameter, isRequired: true, isNullable: false, omitted: undefined }
  const { kind, default: value } = parameter
  const optional = { kind, isRequired: false, isNullable: false }
  if (isSql(value)) return { ...optional, omitted: null, defaultSql: value }
  const result = readArgument(kind, value)
  return { ...optional, omitted: 'value' in result ? result.value : value }
}

/** Lists the parameters of a declaration by name. */
export function listParameters(parameters: QueryParameters): [string, ResolvedParameter][] {
  return Object.entries(parameters).map(([name, each]) => [name, resolveParameter(each)])
}

/** Reads the JSON value of an argument, never null. The values of a kind that no filter compares are those of bodies. */
export function readArgument(kind: Kind<unknown>, json: unknown): ReadResult<unknown> {
  return kind.operators === 'opaque' ? kind.readBody(json) : kind.readFilterValue(json)
}

/** Reads the text of an argument in `filter[name]=text`. That of an object or array is JSON. */
export function readArgumentText(kind: Kind<unknown>, text: string): ReadResult<unknown> {
  return kind.operators === 'opaque'
    ? kind.readBody(parseObject(text) ?? text)
    : kind.readFilterText(text)
}

function parseObject(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return parseExactJson(text)
  } catch {
    return undefined
  }
}
