import {
  DummyDriver,
  Kysely,
  type QueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import type { Bound, Dialect, DialectName, Sql } from '../model/dialect.ts'
import { type FormName, formNamed } from '../model/forms.ts'

/** What a placeholder of a compiled statement stands for. */
export type Source = number | 'id' | 'ids' | 'limit' | 'offset' | 'constant'

/** Stands in a statement for a value that is known only when it runs. */
export interface Placeholder {
  /** A slot of the plan's values, or one of the values every run may have. */
  readonly source: Source
  /** Turns the value into what the driver binds. */
  readonly bind: (value: unknown) => Bound
}

/** Compiled SQL: the text once and for all, and what to bind. Equal shapes share one. */
export interface Statement {
  readonly sql: string
  readonly placeholders: readonly Placeholder[]
  /** Turns a row as the driver returns it into one of the kinds' values, in place; absent where they are the same. */
  readonly load?: ((row: unknown[]) => void) | undefined
}

/** The values of one run, by source. */
export interface RunValues {
  readonly slots: readonly unknown[]
  readonly id?: string | undefined
  readonly ids?: readonly string[]
  readonly limit?: number
  readonly offset?: bigint
  /** A declaration's values travel in their placeholders. */
  readonly constant?: undefined
}

/** A placeholder for one value of a form; null stays null. */
export function one(source: Source, form: FormName, dialect: Dialect): Sql {
  const bind = binderOf(form, dialect.name)
  const placeholder: Placeholder = { source, bind }
  return sql`${placeholder}`
}

/** A placeholder for a whole list of values of a form. */
export function list(source: Source, form: FormName, dialect: Dialect): Sql {
  return listOf(source, binderOf(form, dialect.name), dialect)
}

function listOf(source: Source, bind: (value: unknown) => Bound, dialect: Dialect): Sql {
  // A list reaches its placeholder only from a list operator or as ids.
  const placeholder: Placeholder = {
    source,
    bind: (values) => dialect.bindList((values as readonly unknown[]).map(bind)),
  }
  return sql`${placeholder}`
}

/** A placeholder for a number that is no field's: a limit or an offset. */
export function plain(source: Source): Sql {
  const placeholder: Placeholder = { source, bind: (value) => value as number | bigint }
  return sql`${placeholder}`
}

/** A placeholder for the key of one value. */
export function keyOfOne(source: Source, form: FormName, dialect: Dialect): Sql {
  const placeholder: Placeholder = { source, bind: keyBinderOf(form, dialect.name) }
  return sql`${placeholder}`
}

/** A placeholder for the keys of a whole list of values. */
export function keyList(source: Source, form: FormName, dialect: Dialect): Sql {
  return listOf(source, keyBinderOf(form, dialect.name), dialect)
}

/** A placeholder for a value that the declaration says, not the request. */
export function constant(value: Bound | boolean): Placeholder {
  const bound = typeof value === 'boolean' ? Number(value) : value
  return { source: 'constant', bind: () => bound }
}

function binderOf(form: FormName, dialect: DialectName): (value: unknown) => Bound {
  const { bind } = formNamed(form, dialect)
  return (value) => {
    if (value === null || value === undefined) return null
    return bind === undefined ? (value as Bound) : bind(value)
  }
}

function keyBinderOf(form: FormName, dialect: DialectName): (value: unknown) => Bound {
  const { key } = formNamed(form, dialect)
  if (key === undefined) return binderOf(form, dialect)
  return (value) => (value === null || value === undefined ? null : key.bind(value))
}

const compilers: Readonly<Record<DialectName, Kysely<unknown>>> = {
  sqlite: compilerOnly(() => new SqliteQueryCompiler()),
}

/** Kysely as a compiler alone: it never meets a connection. */
function compilerOnly(createQueryCompiler: () => QueryCompiler): Kysely<unknown> {
  return new Kysely({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler,
    },
  })
}

/** Writes an expression as the text of a statement. */
export function statement(expression: Sql, dialect: Dialect): Statement {
  const { sql: text, parameters } = expression.compile(compilers[dialect.name])
  return { sql: text, placeholders: parameters.map(asPlaceholder) }
}

/** Whatever stands in an expression and is no placeholder, a declaration put there. */
function asPlaceholder(parameter: unknown): Placeholder {
  const isPlaceholder = typeof parameter === 'object' && parameter !== null && 'source' in parameter
  // Only this module makes objects with a `source`.
  return isPlaceholder ? (parameter as Placeholder) : constant(parameter as Bound | boolean)
}

/** The values of a run in the order of a statement's placeholders. */
export function bound({ placeholders }: Statement, values: RunValues): Bound[] {
  return placeholders.map(({ source, bind }) => {
    return bind(typeof source === 'number' ? values.slots[source] : values[source])
  })
}
