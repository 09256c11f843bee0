import type { FormName } from './forms.ts'

/** What a value was meant to be, when it is not: the end of the sentence "… must be …". */
export interface Unreadable {
  readonly expected: string
}

/** A value of the kind, or what it should have been. */
export type Reading<Value> = { readonly value: Value } | Unreadable

/**
 * What a field's values are: how they are read from JSON and from a query, compared, told and stored.
 *
 * Its functions are methods, so that any kind may be taken for a `Kind<unknown>` by those who only carry its values:
 * a kind gets back none that it did not read itself.
 * @typeParam Value - the type the values have in TypeScript
 */
export interface Kind<Value> {
  /** What errors call it. */
  readonly name: string
  /** Kinds with the same word here can be compared with each other. */
  readonly comparesAs: 'text' | 'number' | 'date' | 'boolean'
  /** `textual` kinds take every operator, `ordered` ones all but those on text, `plain` ones equality alone. */
  readonly operators: 'textual' | 'ordered' | 'plain'
  /** Reads a value of a request body. */
  readBody(json: unknown): Reading<Value>
  /** Reads a `val` of a JSON filter. */
  readValue(json: unknown): Reading<Value>
  /** Reads the text of `filter[field]=text`. */
  readText(text: string): Reading<Value>
  /** Writes the value as JSON text. */
  tell(value: Value): string
  /** How its values are kept in a column. */
  readonly form: FormName
}

function readString(json: unknown): Reading<string> {
  if (typeof json !== 'string') return { expected: 'a string' }
  // PostgreSQL cannot store U+0000, and a lone surrogate has no UTF-8: neither may be changed silently.
  if (json.includes('\0')) return { expected: 'a string without the character U+0000' }
  if (!json.isWellFormed()) return { expected: 'a string of whole Unicode characters' }
  return { value: json }
}

/** The WHATWG's definition of a valid e-mail address (HTML, "valid email address"). */
const emailAddress =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

function readEmail(json: unknown): Reading<string> {
  if (typeof json === 'string' && json.length <= 254 && emailAddress.test(json)) {
    return { value: json }
  }
  return { expected: 'an e-mail address' }
}

function readDate(json: unknown): Reading<string> {
  if (typeof json === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(json) && isOnCalendar(json)) {
    return { value: json }
  }
  return { expected: 'a date of the calendar, written YYYY-MM-DD' }
}

/** Years 0001 to 9999; `Date` rolls 31 April over to May, so a real date is one that it gives back unchanged. */
function isOnCalendar(date: string): boolean {
  const time = Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(time) || date.startsWith('0000')) return false
  return new Date(time).toISOString().startsWith(date)
}

function readInteger(json: unknown): Reading<number> {
  if (typeof json === 'number' && Number.isSafeInteger(json))
    return { value: json === 0 ? 0 : json }
  return { expected: 'a whole number between -9007199254740991 and 9007199254740991' }
}

function readNumber(json: unknown): Reading<number> {
  const value = typeof json === 'bigint' ? Number(json) : json
  if (typeof value !== 'number' || !Number.isFinite(value)) return { expected: 'a number' }
  return { value: value === 0 ? 0 : value }
}

function readBoolean(json: unknown): Reading<boolean> {
  return typeof json === 'boolean' ? { value: json } : { expected: 'true or false' }
}

/** A number as JSON writes it (RFC 8259 §6), so that a query takes no spelling that a body does not. */
const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

const numberOfText = (text: string): unknown => (jsonNumber.test(text) ? Number(text) : text)

const booleanOfText = (text: string): unknown =>
  text === 'true' ? true : text === 'false' ? false : text

const idExpected: Unreadable = { expected: 'an id, a whole number of at most 64 bits' }

/** Ids stay texts from the wire to the database: none ever passes through a float. */
function readId(json: unknown): Reading<string> {
  const text = typeof json === 'number' || typeof json === 'bigint' ? String(json) : json
  return typeof text === 'string' && isInteger64(text) ? { value: text } : idExpected
}

/** A whole number of 64 bits in its one canonical spelling: no sign but `-`, no leading zero. */
export function isInteger64(text: string): boolean {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(text)) return false
  return text.length < 19 || BigInt.asIntN(64, BigInt(text)) === BigInt(text)
}

/** Every kind a field can be of. */
export const kinds = {
  id: {
    name: 'id',
    comparesAs: 'number',
    operators: 'ordered',
    readBody: readId,
    readValue: readId,
    readText: readId,
    tell: (value) => `"${value}"`,
    form: 'id',
  } satisfies Kind<string>,
  text: {
    name: 'text',
    comparesAs: 'text',
    operators: 'textual',
    readBody: readString,
    readValue: readString,
    readText: readString,
    tell: JSON.stringify,
    form: 'text',
  } satisfies Kind<string>,
  /** An e-mail address is compared as the text it is: a query may hold any part of one. */
  email: {
    name: 'email',
    comparesAs: 'text',
    operators: 'textual',
    readBody: readEmail,
    readValue: readString,
    readText: readString,
    tell: JSON.stringify,
    form: 'text',
  } satisfies Kind<string>,
  integer: {
    name: 'integer',
    comparesAs: 'number',
    operators: 'ordered',
    readBody: readInteger,
    readValue: readInteger,
    readText: (text) => readInteger(numberOfText(text)),
    tell: String,
    form: 'integer',
  } satisfies Kind<number | bigint>,
  number: {
    name: 'number',
    comparesAs: 'number',
    operators: 'ordered',
    readBody: readNumber,
    readValue: readNumber,
    readText: (text) => readNumber(numberOfText(text)),
    tell: JSON.stringify,
    form: 'number',
  } satisfies Kind<number>,
  boolean: {
    name: 'boolean',
    comparesAs: 'boolean',
    operators: 'plain',
    readBody: readBoolean,
    readValue: readBoolean,
    readText: (text) => readBoolean(booleanOfText(text)),
    tell: String,
    form: 'boolean',
  } satisfies Kind<boolean>,
  date: {
    name: 'date',
    comparesAs: 'date',
    operators: 'ordered',
    readBody: readDate,
    readValue: readDate,
    readText: readDate,
    tell: JSON.stringify,
    form: 'text',
  } satisfies Kind<string>,
} as const

/** The name of a kind: a key of the table of kinds. */
export type KindName = keyof typeof kinds

/** Any text. */
export const text: Kind<string> = kinds.text
/** An e-mail address. */
export const email: Kind<string> = kinds.email
/** A whole number between −(2^53−1) and 2^53−1; one beyond that is told exactly if the table holds it. */
export const integer: Kind<number | bigint> = kinds.integer
/** A double. */
export const number: Kind<number> = kinds.number
/** True or false. */
export const boolean: Kind<boolean> = kinds.boolean
/** A day of the calendar, `YYYY-MM-DD`, as text. */
export const date: Kind<string> = kinds.date
