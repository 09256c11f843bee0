import {
  boolean,
  bytes,
  type Catalog,
  canStore,
  databaseJson,
  databaseText,
  date,
  datetime,
  integer,
  json,
  number,
  type StoredColumn,
  text,
  time,
  uuid,
} from 'lapidary'
import { type Code, call, identifier, object } from './code.ts'

/** The attribute kind of a column, as an expression for a declaration. */
export interface KindCode {
  /** The name of the kind, e.g. `decimal`. */
  readonly name: string
  readonly code: Code
  /** True if its values cannot be written, or not safely. */
  readonly isReadOnly?: boolean
}

const constantsByName = {
  text,
  integer,
  number,
  boolean,
  date,
  datetime,
  time,
  uuid,
  json,
  bytes,
  databaseText,
  databaseJson,
}

/** The names of the kinds that are constants. */
export const constantKinds: readonly string[] = Object.keys(constantsByName)
/** The names of the kinds that are functions. */
export const parametricKinds: readonly string[] = ['integer64', 'decimal', 'enumeration', 'array']

/** A pattern for column types, and the kind of the columns that match. The function gets the pattern's groups. */
type Rule = readonly [type: RegExp, kind: (groups: readonly string[]) => KindCode | undefined]

const constant = (name: string) => () => ({ name, code: identifier(name) })
const integer64 = () => ({ name: 'integer64', code: call('integer64') })
const noKind = () => undefined
const readOnly = (name: string) => () => ({ name, code: identifier(name), isReadOnly: true })

/** The kind `decimal`; without options when the precision or the scale is not one that `decimal` accepts. */
function decimalKind(precision: string, scale = '0'): KindCode | undefined {
  const isValid = Number(precision) >= 1 && Number(scale) <= Number(precision)
  const size = { precision: Number(precision), scale: Number(scale) }
  const options = isValid ? [object(size)] : []
  return { name: 'decimal', code: call('decimal', ...options) }
}

/** The number of decimal digits that a double, SQLite's only type for fractions, stores exactly. */
const sqliteDigits = 15

/**
 * The kinds of column types, by database. The first matching row counts; types are in lower case. A row with `noKind`
 * excludes types that a later row would match.
 */
// biome-ignore format: one table per database, one rule per row
const rules: Readonly<Record<Catalog['dialect'], readonly Rule[]>> = {
  sqlite: [
    [/^bool/,                                                        constant('boolean')],
    [/^(?:datetime|timestamp)/,                                      constant('datetime')],
    [/^date$/,                                                       constant('date')],
    [/^time(?:\(\d\))?$/,                                            constant('time')],
    [/^(?:uuid|guid|uniqueidentifier)$/,                             constant('uuid')],
    [/^jsonb?$/,                                                     constant('json')],
    [/^(?:bigint|int8|int64|long|unsigned big int)(?:\(\d+\))?$/,    integer64],
    [/^(?:real|float|double)/,                                       constant('number')],
    [/^(?:decimal|numeric|number)\((\d+)(?:,(\d+))?\)$/,             ([digits = '', scale]) =>
      Number(digits) <= sqliteDigits ? decimalKind(digits, scale) : constant('number')()],
    [/^(?:decimal|numeric|number|money)$/,                           constant('number')],
    [/^(?:tiny|small|medium|unsigned )?int(?:eger)?\d?(?:\(\d+\))?(?: unsigned)?$/, constant('integer')],
    [/^(?:.*(?:char|clob|text).*)$/,                                 constant('text')],
    [/blob|^(?:var)?binary/,                                         constant('bytes')],
    // Further names of integers and floating-point numbers, by their affinity.
    [/\b(?:tiny|small|medium|big)?int(?:eger)?\d*\b/,               integer64],
    [/real|floa|doub/,                                               constant('number')],
    // Unknown types, which say nothing about the values. `inspectCatalog` chooses by the values.
    [/^.+$/,                                                         readOnly('databaseText')],
  ],
  postgres: [
    [/^ts(?:vector|query)(?:\[\])?$/,                                noKind],
    [/^(?:composite|hstore)(?:\[\])?$/,                              readOnly('databaseJson')],
    [/^bool(?:ean)?$/,                                               constant('boolean')],
    [/^timestamp/,                                                   constant('datetime')],
    [/^date$/,                                                       constant('date')],
    [/^time(?:\(\d\))?(?: without time zone)?$/,                     constant('time')],
    [/^uuid$/,                                                       constant('uuid')],
    [/^jsonb?$/,                                                     constant('json')],
    [/^(?:bigint|int8|bigserial)$/,                                  integer64],
    [/^(?:smallint|integer|int|int2|int4|serial|smallserial)$/,      constant('integer')],
    [/^(?:real|double precision|float[48])$/,                        constant('number')],
    [/^(?:decimal|numeric)\((\d+)(?:,(\d+))?\)$/,                    ([digits = '', scale]) => decimalKind(digits, scale)],
    [/^(?:decimal|numeric)(?:\(.*\))?$/,                             () => ({ name: 'decimal', code: call('decimal') })],
    [/^(?:text|citext|bpchar|(?:var)?char|character(?: varying)?)(?:\(\d+\))?$/, constant('text')],
    [/^bytea$/,                                                      constant('bytes')],
    [/^(?:interval|time.* with time zone|timetz|inet|cidr|macaddr8?|xml|bit|pg_lsn)\b/, constant('databaseText')],
    [/^(?:int[48]|num|ts|tstz|date)(?:multi)?range$/,                constant('databaseText')],
    [/^(?:point|line|lseg|box|path|polygon|circle)$/,                constant('databaseText')],
    // Unknown types, and money, whose text depends on a setting of the database.
    [/^.+$/,                                                         readOnly('databaseText')],
  ],
}

/** Infers the attribute kind of a column from its type. @returns `undefined` when no kind fits the type */
export function inferKind(
  column: StoredColumn,
  { dialect }: Pick<Catalog, 'dialect'>,
): KindCode | undefined {
  const type = column.type.toLowerCase().replace(/\s*([(),])\s*/g, '$1')
  const element =
    dialect === 'postgres'
      ? /^(?!ts(?:vector|query)|composite|hstore)(.+)\[\]$/.exec(type)?.[1]
      : undefined
  if (element !== undefined) return inferArray({ ...column, type: element }, dialect)
  const rule = rules[dialect].find(([pattern]) => pattern.test(type))
  const kind = storableKind(rule?.[1](rule[0].exec(type)?.slice(1) ?? []), type, dialect)
  // The catalog of PostgreSQL reports every enum type as `enum`.
  const canBeEnumeration = type === 'enum' || kind?.name === 'text'
  if (column.values === undefined || column.values.length === 0 || !canBeEnumeration) return kind
  const values: Code = { is: 'array', items: [...new Set(column.values)] }
  return { name: 'enumeration', code: call('enumeration', values) }
}

/** Replaces a kind by that of unknown types if columns of SQLite convert its values: `CHARINT` and `POINTBLOB` have integer affinity. */
function storableKind(
  kind: KindCode | undefined,
  type: string,
  dialect: Catalog['dialect'],
): KindCode | undefined {
  if (dialect !== 'sqlite' || (kind?.name !== 'text' && kind?.name !== 'bytes')) return kind
  const { codec } = constantsByName[kind.name]
  return canStore(type, { codec }, dialect) ? kind : readOnly('databaseText')()
}

/** Whether the type of a column says nothing about its values: SQLite accepts any word as a type. */
export function isUnknownType(column: StoredColumn, catalog: Pick<Catalog, 'dialect'>): boolean {
  const kind = inferKind(column, catalog)
  return kind === undefined || (catalog.dialect === 'sqlite' && kind.name === 'databaseText')
}

/** PostgreSQL has no array type without null elements. */
function inferArray(element: StoredColumn, dialect: Catalog['dialect']): KindCode | undefined {
  const kind = inferKind(element, { dialect })
  if (kind === undefined) return undefined
  const code = call('array', kind.code, object({ nullElements: true }))
  return { ...kind, name: 'array', code }
}

/** The largest number of digits with which every number is a 64-bit integer. */
const integer64Digits = 18

/**
 * Infers the kind of a column as a key: `numeric(10)` and `numeric(10,0)` store integers, and so do such columns of SQLite with any number
 * of digits, because SQLite has no larger integers. Only an enum type limits the values of a key.
 */
export function inferKeyKind(
  column: StoredColumn,
  catalog: Pick<Catalog, 'dialect'>,
): KindCode | undefined {
  const { values: _, ...withoutValues } = column
  const [, digits] =
    /^(?:decimal|numeric|number)\s*\(\s*(\d+)\s*(?:,\s*0\s*)?\)$/i.exec(column.type) ?? []
  const isInteger = catalog.dialect === 'sqlite' || Number(digits) <= integer64Digits
  if (digits !== undefined && isInteger) return integer64()
  return inferKind(column.type === 'enum' ? column : withoutValues, catalog)
}
