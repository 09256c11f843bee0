import {
  boolean,
  bytes,
  databaseJson,
  databaseText,
  date,
  datetime,
  integer,
  json,
  number,
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

/** The kinds that are constants, by name. */
export const constantsByName = {
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
export type KindRule = readonly [
  type: RegExp,
  kind: (groups: readonly string[]) => KindCode | undefined,
]

/** The kind that is a constant of this name. */
export function constant(name: string): KindCode {
  return { name, code: identifier(name) }
}

/** A constant whose values cannot be written. */
export function readOnly(name: string): KindCode {
  return { ...constant(name), isReadOnly: true }
}

/** The kind of columns with integers that `integer` cannot write. */
export const integer64: KindCode = { name: 'integer64', code: call('integer64') }

/** The kind `decimal`; without options when the precision or the scale is not one that `decimal` accepts. */
export function decimalKind(precision: string, scale = '0'): KindCode {
  const isValid = Number(precision) >= 1 && Number(scale) <= Number(precision)
  const size = { precision: Number(precision), scale: Number(scale) }
  const options = isValid ? [object(size)] : []
  return { name: 'decimal', code: call('decimal', ...options) }
}
