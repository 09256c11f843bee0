import {
  type DialectAdapter,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import { type CodecName, getCodec } from '../model/codecs.ts'
import type {
  BoundValue,
  Dialect,
  DialectName,
  ParameterValue,
  PatternName,
  Sql,
  TextPattern,
} from '../model/dialect.ts'

/** What a placeholder of a compiled statement stands for. */
export type ParameterSource =
  | number
  | 'id'
  | 'ids'
  | 'limit'
  | 'offset'
  | 'most'
  | 'snapshotId'
  | 'constant'

/** Stands in a statement for a value that is known only when it runs. */
export interface Placeholder {
  /** A slot of the plan's values, or one of the values every run may have. */
  readonly source: ParameterSource
  /** Turns the value into what the driver binds. */
  readonly bind: (value: unknown) => ParameterValue
}

/** Compiled SQL: the text once and for all, and what to bind. Equal shapes share one. */
export interface Statement {
  readonly sql: string
  readonly placeholders: readonly Placeholder[]
  /** Turns a row as the driver returns it into one of the kinds' values, in place; absent where they are the same. */
  readonly load?: ((row: unknown[]) => void) | undefined
  /** Whether it reads no more than the columns of one row by its id, so that others may wait for it. */
  readonly isQuick?: boolean
}

/** The values of one run, by source. */
export interface RunValues {
  readonly parameters: readonly unknown[]
  readonly id?: string | undefined
  readonly ids?: readonly string[]
  readonly limit?: number
  readonly offset?: bigint
  /** How many rows are read at most of what may be any number. */
  readonly most?: number
  /** That of a count which is remembered. */
  readonly snapshotId?: string | undefined
  /** A declaration's values travel in their placeholders. */
  readonly constant?: undefined
}

/** A placeholder for one value of a form; null stays null. */
export function param(source: ParameterSource, form: CodecName, dialect: Dialect): Sql {
  return castParam(assignedParam(source, form, dialect), form, dialect)
}

/** The same where the database knows the type from the column that takes the value. */
export function assignedParam(source: ParameterSource, form: CodecName, dialect: Dialect): Sql {
  const placeholder: Placeholder = { source, bind: binderOf(form, dialect.name) }
  return sql`${placeholder}`
}

/** A placeholder for a whole list of values of a form. */
export function listParam(source: ParameterSource, form: CodecName, dialect: Dialect): Sql {
  return listOf(source, form, binderOf(form, dialect.name), dialect)
}

function listOf(
  source: ParameterSource,
  form: CodecName,
  bind: (value: unknown) => BoundValue,
  dialect: Dialect,
): Sql {
  // A list reaches its placeholder only from a list operator or as ids.
  const placeholder: Placeholder = {
    source,
    bind: (values) => dialect.bindList((values as readonly unknown[]).map(bind)),
  }
  return castParam(sql`${placeholder}`, form, dialect, '[]')
}

/** A value with the type of its form, for databases that would not find out by themselves. */
export function castParam(placeholder: Sql, form: CodecName, dialect: Dialect, many = ''): Sql {
  const { type } = getCodec(form, dialect.name)
  return type === undefined ? placeholder : sql`${placeholder}::${sql.raw(type + many)}`
}

/** A placeholder for a number that is no field's: a limit or an offset. */
export function rawParam(source: ParameterSource): Sql {
  const placeholder: Placeholder = { source, bind: (value) => value as number | bigint }
  return sql`${placeholder}`
}

/** A placeholder for the key of one value. */
export function keyParam(source: ParameterSource, form: CodecName, dialect: Dialect): Sql {
  const placeholder: Placeholder = { source, bind: keyBinderOf(form, dialect.name) }
  return castParam(sql`${placeholder}`, form, dialect)
}

/** A placeholder for a pattern. */
export function patternParam(
  source: ParameterSource,
  is: PatternName,
  bind: (pattern: TextPattern) => ParameterValue,
): Sql {
  const placeholder: Placeholder = {
    source,
    bind: (text) => (text === null || text === undefined ? null : bind({ is, text: String(text) })),
  }
  return sql`${placeholder}`
}

/** A placeholder for the keys of a whole list of values. */
export function keyListParam(source: ParameterSource, form: CodecName, dialect: Dialect): Sql {
  return listOf(source, form, keyBinderOf(form, dialect.name), dialect)
}

/** A placeholder for a value that the declaration says, not the request. */
export function constant(
  value: BoundValue | boolean,
  { name }: Pick<Dialect, 'name'>,
): Placeholder {
  const bindParameters =
    typeof value === 'boolean' ? (getCodec('boolean', name).bind?.(value) ?? null) : value
  return { source: 'constant', bind: () => bindParameters }
}

function binderOf(form: CodecName, dialect: DialectName): (value: unknown) => BoundValue {
  const { bind } = getCodec(form, dialect)
  return (value) => {
    if (value === null || value === undefined) return null
    return bind === undefined ? (value as BoundValue) : bind(value)
  }
}

function keyBinderOf(form: CodecName, dialect: DialectName): (value: unknown) => BoundValue {
  const { key } = getCodec(form, dialect)
  if (key === undefined) return binderOf(form, dialect)
  return (value) => (value === null || value === undefined ? null : key.bind(value))
}

const compilers: Readonly<Record<DialectName, Kysely<unknown>>> = {
  sqlite: compilerOnly(new SqliteAdapter(), () => new SqliteQueryCompiler()),
  postgres: compilerOnly(new PostgresAdapter(), () => new PostgresQueryCompiler()),
}

/** Kysely as a compiler alone: it never meets a connection. */
function compilerOnly(
  adapter: DialectAdapter,
  createQueryCompiler: () => QueryCompiler,
): Kysely<unknown> {
  return new Kysely({
    dialect: {
      createAdapter: () => adapter,
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler,
    },
  })
}

/** Writes an expression as the text of a statement. */
export function compileStatement(expression: Sql, dialect: Dialect): Statement {
  const { sql: text, parameters } = expression.compile(compilers[dialect.name])
  return { sql: text, placeholders: parameters.map((each) => asPlaceholder(each, dialect)) }
}

/** Whatever stands in an expression and is no placeholder, a declaration put there. */
function asPlaceholder(parameter: unknown, dialect: Dialect): Placeholder {
  const isPlaceholder = typeof parameter === 'object' && parameter !== null && 'source' in parameter
  // Only this module makes objects with a `source`.
  return isPlaceholder
    ? (parameter as Placeholder)
    : constant(parameter as BoundValue | boolean, dialect)
}

/** The values of a run in the order of a statement's placeholders. */
export function bound({ placeholders }: Statement, values: RunValues): ParameterValue[] {
  return placeholders.map(({ source, bind }) => {
    return bind(typeof source === 'number' ? values.parameters[source] : values[source])
  })
}
