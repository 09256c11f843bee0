import { sql } from 'kysely'
import { type AuthValue, computeAuthValue, isAuthValue } from '../model/declare/access.ts'
import type { ResolvedParameter } from '../model/declare/parameter.ts'
import type {
  BoundValue,
  Dialect,
  ParameterValue,
  PatternName,
  Sql,
  TextPattern,
} from '../model/dialect.ts'
import { type Codec, getCodec } from '../model/kinds/codecs.ts'
import type { RuleValue } from '../plan/access/rule-value.ts'

/** The source of a parameter's value: an index in the plan's values, or one of the other values of a run. */
export type ParameterSource =
  | number
  | 'id'
  | 'ids'
  | 'limit'
  | 'offset'
  | 'maxRows'
  | 'snapshotId'
  | 'versions'
  | 'constant'
  | RuleValue
  | Readonly<{ read: (auth: unknown, values: RunValues) => unknown }>

/** A parameter of a compiled statement. */
export interface Placeholder {
  readonly source: ParameterSource
  /** Converts the value to what the driver binds. */
  readonly bind: (value: unknown) => ParameterValue
  /** True if `bind` may return a pattern. */
  readonly isPattern?: boolean
  /** True for an argument of a declared function or query. */
  readonly isArgument?: boolean
  /** True for the value of a sort key in a cursor, which the type of its column may no longer have. */
  readonly isCursorKey?: boolean
}

/**
 * What a point read visits: one row, which an index finds; or also what a to-one relationship, a rule, or SQL of the declaration looks up
 * for this row, or a whole table or view without unique ids.
 */
export type PointRead = 'one row' | 'other rows'

/** Compiled SQL and its parameters. Plans with the same query shape share one. */
export interface Statement {
  readonly sql: string
  readonly placeholders: readonly Placeholder[]
  /** Converts the driver's values of a row to those of the attribute kinds, in place; absent if they are the same. */
  readonly load?: ((row: unknown[]) => void) | undefined
  /** Whether a parameter may be a pattern. */
  readonly hasPattern?: boolean
  /** Whether it writes and returns values: unlike a read, it must not run again for a value that the driver could not read. */
  readonly isWrite?: boolean
  /** Whether it changes each of its `ids` by itself, and costs as much for parts of them, one after the other. */
  readonly isPerId?: boolean
  /** What a statement visits that reads nothing but columns of one row, by its id; absent for any other. */
  readonly pointRead?: PointRead | undefined
}

/** The values of one run, by source. */
export interface RunValues {
  readonly planValues: readonly unknown[]
  readonly id?: string | undefined
  readonly ids?: readonly string[]
  readonly limit?: number
  readonly offset?: number
  /** The limit of a statement that may find any number of rows. */
  readonly maxRows?: number
  /** The snapshot id of a cached count. */
  readonly snapshotId?: string | undefined
  /** The digests of the stored versions that a changed row may have (`VersionCondition.digests`). */
  readonly versions?: readonly string[] | undefined
  /** The values of declarations are in their placeholders. */
  readonly constant?: undefined
  /** The auth context of the request, for the values that rules bind. */
  readonly auth?: unknown
}

/** Runs a statement and returns its rows. */
export type RunStatement = (
  statement: Statement,
  values: RunValues,
) => Promise<readonly (readonly unknown[])[]>

/** Compiles a parameter for one value of a codec; null stays null. */
export function param(source: ParameterSource, codec: Codec, dialect: Dialect): Sql {
  return castParam(assignedParam(source, codec, dialect), codec, dialect)
}

/** Compiles a parameter that is assigned to a column, from which the database knows its type. */
export function assignedParam(source: ParameterSource, codec: Codec, dialect: Dialect): Sql {
  const placeholder: Placeholder = { source, bind: binderOf(codec, dialect) }
  return sql`${placeholder}`
}

/** Compiles a parameter for an argument of a declared function or query, without the cast to its type. */
export function argumentParam(source: ParameterSource, bind: Placeholder['bind']): Sql {
  const placeholder: Placeholder = { source, bind, isArgument: true }
  return sql`${placeholder}`
}

/** Compiles a parameter for a list of values of a codec. */
export function listParam(source: ParameterSource, codec: Codec, dialect: Dialect): Sql {
  return listOf(source, codec, binderOf(codec, dialect), dialect)
}

function listOf(
  source: ParameterSource,
  codec: Codec,
  bind: (value: unknown) => BoundValue,
  dialect: Dialect,
): Sql {
  // The value is a list: only list operators and ids use this.
  const placeholder: Placeholder = {
    source,
    bind: (values) => dialect.bindList((values as readonly unknown[]).map(bind)),
  }
  return castParam(sql`${placeholder}`, codec, dialect, '[]')
}

/** Casts a parameter to the type of its codec, for databases that cannot infer it. */
export function castParam(placeholder: Sql, codec: Codec, dialect: Dialect, many = ''): Sql {
  const { infersType } = getCodec(codec, dialect)
  return infersType ? placeholder : castValue(placeholder, codec, dialect, many)
}

/** Casts an expression, or a parameter whose type the database cannot infer, to the type of its codec. */
export function castValue(value: Sql, codec: Codec, dialect: Dialect, many = ''): Sql {
  const { type } = getCodec(codec, dialect)
  return type === undefined ? value : sql`${value}::${sql.raw(type + many)}`
}

/** Compiles a parameter for a number that belongs to no field: a limit or an offset. */
export function rawParam(source: ParameterSource): Sql {
  const placeholder: Placeholder = { source, bind: (value) => value as number }
  return sql`${placeholder}`
}

/** Compiles a parameter for the comparison key of a value. */
export function keyParam(source: ParameterSource, codec: Codec, dialect: Dialect): Sql {
  const placeholder: Placeholder = { source, bind: keyBinderOf(codec, dialect) }
  return castParam(sql`${placeholder}`, codec, dialect)
}

/** Compiles a parameter for a text pattern. */
export function patternParam(
  source: ParameterSource,
  is: PatternName,
  bind: (pattern: TextPattern) => ParameterValue,
): Sql {
  const placeholder: Placeholder = {
    source,
    bind: (text) => (text === null || text === undefined ? null : bind({ is, text: String(text) })),
    isPattern: true,
  }
  return sql`${placeholder}`
}

/** Compiles a parameter for the comparison keys of a list of values. */
export function keyListParam(source: ParameterSource, codec: Codec, dialect: Dialect): Sql {
  return listOf(source, codec, keyBinderOf(codec, dialect), dialect)
}

/** Compiles a parameter that is assigned to a column, with a new value for each run. */
export function generatedParam(generate: () => BoundValue): Sql {
  const placeholder: Placeholder = { source: 'constant', bind: generate }
  return sql`${placeholder}`
}

/** Creates a placeholder for a value of a declaration. */
export function constant(
  value: BoundValue | boolean,
  dialect: Pick<Dialect, 'codecs'>,
): Placeholder {
  const boundValue =
    typeof value === 'boolean' ? (getCodec('boolean', dialect).bind?.(value) ?? null) : value
  return { source: 'constant', bind: () => boundValue }
}

/** Returns the function that converts a value of a codec to what the driver binds; null stays null. */
export function binderOf(
  codec: Codec,
  dialect: Pick<Dialect, 'codecs'>,
): (value: unknown) => BoundValue {
  const { bind } = getCodec(codec, dialect)
  return (value) => {
    if (value === null || value === undefined) return null
    return bind === undefined ? (value as BoundValue) : bind(value)
  }
}

function keyBinderOf(
  codec: Codec,
  dialect: Pick<Dialect, 'codecs'>,
): (value: unknown) => BoundValue {
  const { key } = getCodec(codec, dialect)
  if (key === undefined) return binderOf(codec, dialect)
  return (value) => (value === null || value === undefined ? null : key.bind(value))
}

/** A database, by what compiles statements for it. */
type CompilingDatabase = Pick<Dialect, 'codecs' | 'compiler'>

/** Compiles an expression to a statement. */
export function compileStatement(expression: Sql, dialect: CompilingDatabase): Statement {
  const { sql: text, parameters } = expression.compile(dialect.compiler)
  const placeholders = parameters.map((each) => asPlaceholder(each, dialect))
  const hasPattern = placeholders.some(({ isPattern }) => isPattern)
  return { sql: text, placeholders, ...(hasPattern && { hasPattern }) }
}

/** Creates a placeholder for a value of the auth context in the SQL of a declaration. */
function authPlaceholder(value: AuthValue, dialect: CompilingDatabase): Placeholder {
  const bindBoolean = getCodec('boolean', dialect).bind
  return {
    source: { read: (auth: unknown) => computeAuthValue(value, auth) },
    bind: (computed) => {
      if (computed === undefined) return null
      return typeof computed === 'boolean' && bindBoolean
        ? bindBoolean(computed)
        : (computed as BoundValue)
    },
  }
}

/** A parameter that is not a placeholder is a value of a declaration. */
function asPlaceholder(parameter: unknown, dialect: CompilingDatabase): Placeholder {
  if (isAuthValue(parameter)) return authPlaceholder(parameter, dialect)
  const isPlaceholder = typeof parameter === 'object' && parameter !== null && 'source' in parameter
  // Only this module creates objects with a `source`.
  return isPlaceholder
    ? (parameter as Placeholder)
    : constant(parameter as BoundValue | boolean, dialect)
}

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
