import type { DialectName } from '../database-names.ts'
import type { Sql } from '../sql.ts'
import type { Codec } from './codecs.ts'
import { type Json, serializeJson } from './json.ts'
import { readJson } from './json-values.ts'
import {
  integerPattern,
  parseBoolean,
  parseNumber,
  readBoolean,
  readId,
  readInteger,
  readNumber,
} from './numbers.ts'
import {
  maxEmailLength,
  readBytes,
  readEmail,
  readString,
  readUrl,
  readUuid,
  urlPattern,
} from './texts.ts'
import { readDate, readInstant, readTime, timePattern } from './times.ts'
import type { ReadResult } from './value-result.ts'

/** A JSON Schema (draft 2020-12) as plain data. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** Which operators apply to the values of a kind (`Kind.operators`). */
export type OperatorLevel = 'textual' | 'ordered' | 'plain' | 'array' | 'opaque'

/**
 * An attribute kind: the data type of an attribute. It reads values from JSON and from queries, serializes them, and says
 * how they are compared and stored.
 *
 * The functions are methods, so that any kind is assignable to `Kind<unknown>`: code that only passes values on gives a
 * kind back the values that it read.
 * @typeParam Value - the TypeScript type of the values
 * @typeParam Level - the member `operators`
 */
export interface Kind<Value, Level extends OperatorLevel = OperatorLevel> {
  /** The name in error messages. */
  readonly name: string
  /** Values of two kinds can be compared with each other if this is the same. */
  readonly comparesAs: string
  /**
   * The operators that apply: `textual` kinds have all but those of arrays, `ordered` kinds those but for the searches in texts,
   * and `plain` kinds only tests for equality. `array` kinds have tests for equality, `contains` and `overlaps`, and cannot be
   * sorted. `opaque` kinds can only be compared with null, and cannot be sorted.
   */
  readonly operators: Level
  /** True if values cannot be written: an attribute has to be declared `access: 'read-only'`. Default false. */
  readonly isReadOnly?: boolean
  /** Reads a value from a request body. */
  readBody(json: unknown): ReadResult<Value>
  /** Reads the `val` of a JSON filter. */
  readFilterValue(json: unknown): ReadResult<Value>
  /** Reads the text of `filter[field]=text`. */
  readFilterText(text: string): ReadResult<Value>
  /**
   * True if no text of a value contains a comma, so that one in a filter separates two values; of a number with a fraction only after an
   * operator that takes several, because in `filter[price]=1,5` it may be meant as the decimal sign. Default false.
   */
  readonly isCommaFree?: boolean | 'after an operator'
  /** Serializes a value as JSON text. */
  serialize(value: Value): string
  /** The JSON Schema of values in documents, as far as a schema can express it. Whether null is allowed depends on the field. */
  readonly schema: JsonSchema
  /** The JSON Schema of the `val` of filters, null aside, if it does not follow from `operators` and `comparesAs`. */
  readonly filterSchema?: JsonSchema
  /** The codec that stores the values in a column. */
  readonly codec: Codec
  /**
   * The filter operators of a kind that a program defines, in addition to those of its level: `CustomOperators`. Here without an index
   * signature, so that the type of a kind has the names of its operators.
   */
  readonly customOperators?: object
  /** The kind of the elements, if the values are arrays. */
  readonly element?: Kind<unknown>
}

/** Writes a comparison of a column with an operand as SQL; unknown for a column that is null. */
export type WriteCustomOperator = (column: Sql, operand: Sql) => Sql

/** A filter operator of a kind that a program defines. */
export interface CustomOperator<Operand = unknown> {
  /** The kind of the operand, which is one value and not null. */
  readonly takes: Kind<Operand>
  /** The SQL for each database that the kind supports. A pure function, which runs when a statement is compiled. */
  readonly sql: Readonly<Partial<Record<DialectName, WriteCustomOperator>>>
}

/** Filter operators by name. */
export type CustomOperators = Readonly<Record<string, CustomOperator>>

/** Rejects every filter value: opaque kinds can only be compared with null. */
const onlyNull = (): ReadResult<never> => ({ expected: 'null' })

/** Every kind without options; `parametricKinds` has the others. */
export const kinds = {
  id: {
    name: 'id',
    comparesAs: 'number',
    operators: 'ordered',
    readBody: readId,
    readFilterValue: readId,
    readFilterText: readId,
    isCommaFree: true,
    serialize: (value) => `"${value}"`,
    schema: { type: 'string', pattern: integerPattern },
    codec: 'id',
  } satisfies Kind<string>,
  text: {
    name: 'text',
    comparesAs: 'text',
    operators: 'textual',
    readBody: readString,
    readFilterValue: readString,
    readFilterText: readString,
    serialize: JSON.stringify,
    schema: { type: 'string' },
    codec: 'text',
  } satisfies Kind<string>,
  /** Filters compare an e-mail address as text, so that they can search for a part of one; a mistyped address is no error there. */
  email: {
    name: 'email',
    comparesAs: 'text',
    operators: 'textual',
    readBody: readEmail,
    readFilterValue: readString,
    readFilterText: readString,
    serialize: JSON.stringify,
    schema: { type: 'string', format: 'email', maxLength: maxEmailLength },
    codec: 'text',
  } satisfies Kind<string>,
  /** Filters compare a URL as text. */
  url: {
    name: 'url',
    comparesAs: 'text',
    operators: 'textual',
    readBody: readUrl,
    readFilterValue: readString,
    readFilterText: readString,
    serialize: JSON.stringify,
    schema: { type: 'string', pattern: urlPattern },
    codec: 'text',
  } satisfies Kind<string>,
  integer: {
    name: 'integer',
    comparesAs: 'number',
    operators: 'ordered',
    readBody: readInteger,
    readFilterValue: readInteger,
    readFilterText: (text) => readInteger(parseNumber(text)),
    isCommaFree: true,
    serialize: String,
    schema: {
      type: 'integer',
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
    },
    codec: 'integer',
  } satisfies Kind<number>,
  number: {
    name: 'number',
    comparesAs: 'number',
    operators: 'ordered',
    readBody: readNumber,
    readFilterValue: readNumber,
    readFilterText: (text) => readNumber(parseNumber(text)),
    isCommaFree: 'after an operator',
    serialize: JSON.stringify,
    schema: { type: 'number' },
    codec: 'number',
  } satisfies Kind<number>,
  boolean: {
    name: 'boolean',
    comparesAs: 'boolean',
    operators: 'plain',
    readBody: readBoolean,
    readFilterValue: readBoolean,
    readFilterText: (text) => readBoolean(parseBoolean(text)),
    isCommaFree: true,
    serialize: String,
    schema: { type: 'boolean' },
    codec: 'boolean',
  } satisfies Kind<boolean>,
  date: {
    name: 'date',
    comparesAs: 'date',
    operators: 'ordered',
    readBody: readDate,
    readFilterValue: readDate,
    readFilterText: readDate,
    isCommaFree: true,
    serialize: JSON.stringify,
    schema: { type: 'string', format: 'date' },
    codec: 'date',
  } satisfies Kind<string>,
  datetime: {
    name: 'datetime',
    comparesAs: 'datetime',
    operators: 'ordered',
    readBody: readInstant,
    readFilterValue: readInstant,
    readFilterText: readInstant,
    isCommaFree: true,
    serialize: JSON.stringify,
    schema: { type: 'string', format: 'date-time' },
    codec: 'datetime',
  } satisfies Kind<string>,
  time: {
    name: 'time',
    comparesAs: 'time',
    operators: 'ordered',
    readBody: readTime,
    readFilterValue: readTime,
    readFilterText: readTime,
    isCommaFree: true,
    serialize: JSON.stringify,
    schema: { type: 'string', pattern: timePattern },
    codec: 'time',
  } satisfies Kind<string>,
  uuid: {
    name: 'uuid',
    comparesAs: 'uuid',
    operators: 'plain',
    readBody: readUuid,
    readFilterValue: readUuid,
    readFilterText: readUuid,
    isCommaFree: true,
    serialize: JSON.stringify,
    schema: { type: 'string', format: 'uuid' },
    codec: 'uuid',
  } satisfies Kind<string>,
  json: {
    name: 'json',
    comparesAs: 'json',
    operators: 'opaque',
    readBody: readJson,
    readFilterValue: onlyNull,
    readFilterText: onlyNull,
    serialize: serializeJson,
    schema: { type: ['object', 'array'] },
    codec: 'json',
  } satisfies Kind<Json>,
  bytes: {
    name: 'bytes',
    comparesAs: 'bytes',
    operators: 'opaque',
    readBody: readBytes,
    readFilterValue: onlyNull,
    readFilterText: onlyNull,
    serialize: JSON.stringify,
    schema: { type: 'string', contentEncoding: 'base64' },
    codec: 'bytes',
  } satisfies Kind<string>,
} as const

/** A string. The character U+0000 and lone surrogates are not allowed, because databases cannot store them. */
export const text: Kind<string, 'textual'> = kinds.text
/** An e-mail address as HTML defines it. Filters compare it as text and can search for any part of it. */
export const email: Kind<string, 'textual'> = kinds.email
/** An absolute URL with a host, stored as it was sent. Filters compare it as text and can search for any part of it. */
export const url: Kind<string, 'textual'> = kinds.url
/**
 * A whole number between −(2^53−1) and 2^53−1. A larger one in the table is serialized with all digits, and is a `bigint` at
 * run time whatever its type says: declare a column that can hold one as `integer64`.
 */
export const integer: Kind<number, 'ordered'> = kinds.integer
/** A double. It is serialized as the shortest number that parses as the same double. */
export const number: Kind<number, 'ordered'> = kinds.number
/** True or false. SQLite stores 1 or 0. */
export const boolean: Kind<boolean, 'plain'> = kinds.boolean
/**
 * A calendar date as the string `YYYY-MM-DD`. SQLite compares the stored text: a stored midnight such as
 * `2009-01-01 00:00:00` is serialized as its date, but a filter for the date does not match it.
 */
export const date: Kind<string, 'ordered'> = kinds.date
/**
 * A date and time. Clients send it in RFC 3339 format, with `Z` or a zone offset; it is serialized in UTC, e.g.
 * `2024-02-29T12:30:00.5Z`, and is that string in TypeScript. Years 0001 to 9999, at most six digits of a second, no leap
 * seconds. SQLite stores text of fixed width. Stored values may also be a date without a time, have a space instead of
 * the `T`, have another zone, or have no zone, which means UTC.
 */
export const datetime: Kind<string, 'ordered'> = kinds.datetime
/**
 * A time of day without a zone, as a string: `HH:MM:SS` with at most six digits of a second. It is serialized without zeros
 * at the end. A stored value may also be `HH:MM`.
 */
export const time: Kind<string, 'ordered'> = kinds.time
/**
 * A UUID of any version. Clients may send lower or upper case; it is serialized in lower case. SQLite stores text and
 * compares `lower(column)`, which an index on that expression supports.
 */
export const uuid: Kind<string, 'plain'> = kinds.uuid
/**
 * A JSON object or array, nested at most 100 levels deep. Member names must be those that JSON:API allows in attributes:
 * letters, digits, `-`, `_` and spaces, with a letter or digit first and last, but not `relationships` or `links`. Integers
 * of any size are exact: beyond 2^53 they are `bigint`s in TypeScript. Other numbers are doubles. Filters can only test for
 * null, and it cannot be sorted. Stored as JSON text.
 */
export const json: Kind<Json, 'opaque'> = kinds.json
/**
 * Bytes as a base64 string (RFC 4648 §4), padded, on one line. Filters can only test for null, and it cannot be sorted.
 * SQLite stores a BLOB.
 */
export const bytes: Kind<string, 'opaque'> = kinds.bytes
