import type { CodecName } from './codecs.ts'
import { type Json, readJson, serializeJson } from './json-values.ts'
import {
  integerPattern,
  parseBoolean,
  parseNumber,
  readBoolean,
  readId,
  readInteger,
  readNumber,
} from './numbers.ts'
import type { ReadResult } from './read-result.ts'
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

/** A JSON Schema (draft 2020-12) as plain data. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

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
  readonly comparesAs:
    | 'text'
    | 'number'
    | 'decimal'
    | 'boolean'
    | 'date'
    | 'datetime'
    | 'time'
    | 'uuid'
    | 'enumeration'
    | 'json'
    | 'bytes'
  /**
   * `textual` kinds take every operator, `ordered` ones all but those on text, `plain` ones equality alone. `opaque`
   * ones can only be asked whether they are null, and have no order to sort by.
   */
  readonly operators: 'textual' | 'ordered' | 'plain' | 'opaque'
  /** Reads a value of a request body. */
  readBody(json: unknown): ReadResult<Value>
  /** Reads a `val` of a JSON filter. */
  readValue(json: unknown): ReadResult<Value>
  /** Reads the text of `filter[field]=text`. */
  readText(text: string): ReadResult<Value>
  /** Writes the value as JSON text. */
  serialize(value: Value): string
  /** What is told, and what bodies take, but for what a schema cannot say; null is for the field to allow. */
  readonly schema: JsonSchema
  /** How its values are kept in a column. */
  readonly codec: CodecName
}

/** What opaque kinds are compared with: nothing that could be sent. */
const nullAlone = (): ReadResult<never> => ({ expected: 'null alone' })

/** Every kind a field can be of, but for those with options, which `parametric` has. */
export const kinds = {
  id: {
    name: 'id',
    comparesAs: 'number',
    operators: 'ordered',
    readBody: readId,
    readValue: readId,
    readText: readId,
    serialize: (value) => `"${value}"`,
    schema: { type: 'string', pattern: integerPattern },
    codec: 'id',
  } satisfies Kind<string>,
  text: {
    name: 'text',
    comparesAs: 'text',
    operators: 'textual',
    readBody: readString,
    readValue: readString,
    readText: readString,
    serialize: JSON.stringify,
    schema: { type: 'string' },
    codec: 'text',
  } satisfies Kind<string>,
  /** An e-mail address is compared as the text it is: a query may hold any part of one. */
  email: {
    name: 'email',
    comparesAs: 'text',
    operators: 'textual',
    readBody: readEmail,
    readValue: readString,
    readText: readString,
    serialize: JSON.stringify,
    schema: { type: 'string', format: 'email', maxLength: maxEmailLength },
    codec: 'text',
  } satisfies Kind<string>,
  /** A URL is compared as the text it is, like an e-mail address. */
  url: {
    name: 'url',
    comparesAs: 'text',
    operators: 'textual',
    readBody: readUrl,
    readValue: readString,
    readText: readString,
    serialize: JSON.stringify,
    schema: { type: 'string', pattern: urlPattern },
    codec: 'text',
  } satisfies Kind<string>,
  integer: {
    name: 'integer',
    comparesAs: 'number',
    operators: 'ordered',
    readBody: readInteger,
    readValue: readInteger,
    readText: (text) => readInteger(parseNumber(text)),
    serialize: String,
    schema: {
      type: 'integer',
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
    },
    codec: 'integer',
  } satisfies Kind<number | bigint>,
  number: {
    name: 'number',
    comparesAs: 'number',
    operators: 'ordered',
    readBody: readNumber,
    readValue: readNumber,
    readText: (text) => readNumber(parseNumber(text)),
    serialize: JSON.stringify,
    schema: { type: 'number' },
    codec: 'number',
  } satisfies Kind<number>,
  boolean: {
    name: 'boolean',
    comparesAs: 'boolean',
    operators: 'plain',
    readBody: readBoolean,
    readValue: readBoolean,
    readText: (text) => readBoolean(parseBoolean(text)),
    serialize: String,
    schema: { type: 'boolean' },
    codec: 'boolean',
  } satisfies Kind<boolean>,
  date: {
    name: 'date',
    comparesAs: 'date',
    operators: 'ordered',
    readBody: readDate,
    readValue: readDate,
    readText: readDate,
    serialize: JSON.stringify,
    schema: { type: 'string', format: 'date' },
    codec: 'date',
  } satisfies Kind<string>,
  datetime: {
    name: 'datetime',
    comparesAs: 'datetime',
    operators: 'ordered',
    readBody: readInstant,
    readValue: readInstant,
    readText: readInstant,
    serialize: JSON.stringify,
    schema: { type: 'string', format: 'date-time' },
    codec: 'datetime',
  } satisfies Kind<string>,
  time: {
    name: 'time',
    comparesAs: 'time',
    operators: 'ordered',
    readBody: readTime,
    readValue: readTime,
    readText: readTime,
    serialize: JSON.stringify,
    schema: { type: 'string', pattern: timePattern },
    codec: 'time',
  } satisfies Kind<string>,
  uuid: {
    name: 'uuid',
    comparesAs: 'uuid',
    operators: 'plain',
    readBody: readUuid,
    readValue: readUuid,
    readText: readUuid,
    serialize: JSON.stringify,
    schema: { type: 'string', format: 'uuid' },
    codec: 'uuid',
  } satisfies Kind<string>,
  json: {
    name: 'json',
    comparesAs: 'json',
    operators: 'opaque',
    readBody: readJson,
    readValue: nullAlone,
    readText: nullAlone,
    serialize: serializeJson,
    schema: { type: ['object', 'array'] },
    codec: 'json',
  } satisfies Kind<Json>,
  bytes: {
    name: 'bytes',
    comparesAs: 'bytes',
    operators: 'opaque',
    readBody: readBytes,
    readValue: nullAlone,
    readText: nullAlone,
    serialize: JSON.stringify,
    schema: { type: 'string', contentEncoding: 'base64' },
    codec: 'bytes',
  } satisfies Kind<string>,
} as const

/** The name of a kind: a key of the table of kinds. */
export type KindName = keyof typeof kinds

/** Any text but one with the character U+0000 or half a surrogate pair, which databases cannot keep. */
export const text: Kind<string> = kinds.text
/** An e-mail address, as the WHATWG's HTML defines it; filters compare it as text and may look for any part of it. */
export const email: Kind<string> = kinds.email
/** An absolute URL with a host, kept as it was sent; filters compare it as text and may look for any part of it. */
export const url: Kind<string> = kinds.url
/** A whole number between −(2^53−1) and 2^53−1; one beyond that is told exactly if the table holds it. */
export const integer: Kind<number | bigint> = kinds.integer
/** A double; told as the shortest number that reads as the same double. */
export const number: Kind<number> = kinds.number
/** True or false; stored as 1 or 0. */
export const boolean: Kind<boolean> = kinds.boolean
/**
 * A day of the calendar, `YYYY-MM-DD`, as text. Compared by stored text, so the column is expected to hold just that;
 * a stored midnight such as `2009-01-01 00:00:00` is told as its day, but a filter for the day does not find it.
 */
export const date: Kind<string> = kinds.date
/**
 * An instant, sent as RFC 3339 has it, with `Z` or a zone offset, and told in UTC: `2024-02-29T12:30:00.5Z`. Years 0001 to
 * 9999, at most six digits of a second, no leap second. In TypeScript the text that is told. Stored as text of fixed
 * width; a stored day, a space for the `T`, a zone, and no zone, which means UTC, are understood.
 */
export const datetime: Kind<string> = kinds.datetime
/**
 * A time of day without a zone, `HH:MM:SS` with at most six digits of a second, as text; told without zeros at the end
 * of those. A stored `HH:MM` is understood.
 */
export const time: Kind<string> = kinds.time
/**
 * A UUID of any version in its text form, in either case, told in lower case. Stored as text; in SQLite comparisons are of
 * `lower(column)`, which an index on that expression serves.
 */
export const uuid: Kind<string> = kinds.uuid
/**
 * An object or an array of JSON, nested at most 100 deep, whose member names are those that JSON:API allows in attributes:
 * letters, digits, `-`, `_` and spaces, a letter or digit first and last, and none is `relationships` or `links`. Whole
 * numbers are exact whatever their size, in TypeScript a `bigint` beyond 2^53; other numbers are doubles. Filters can only
 * ask whether it is null; there is no sorting by it. Stored as JSON text; what a table holds must obey the same rules.
 */
export const json: Kind<Json> = kinds.json
/**
 * Bytes as text in base64 (RFC 4648 §4), padded, on one line. Filters can only ask whether it is null; there is no sorting by
 * it. Stored as a BLOB.
 */
export const bytes: Kind<string> = kinds.bytes
