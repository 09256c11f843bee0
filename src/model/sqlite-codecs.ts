import { sql } from 'kysely'
import { hasAffinity } from './affinities.ts'
import type { ColumnCodec } from './column-codec.ts'
import { canonicalDecimal, decimalKey } from './decimals.ts'
import type { Sql } from './dialect.ts'
import { type JsonValue, parseStoredJson, serializeJson } from './json-values.ts'
import { encodeStoredBytes, parseStoredInteger, parseStoredUuid } from './stored-values.ts'
import {
  formatFixedInstant,
  instantKey,
  parseStoredDate,
  parseStoredInstant,
  parseStoredTime,
} from './times.ts'

/** node:sqlite refuses to return an integer beyond 2^53 as a number: but for keys, integers leave the database as texts. */
const sqliteAsText = (column: Sql): Sql => sql`cast(${column} as text)`

/** A number may stand in the table as an integer, even one beyond 2^53. */
const sqliteAsReal = (column: Sql): Sql => sql`cast(${column} as real)`

const sqliteTexts = hasAffinity('text', 'blob')
/** SQLite makes numbers of texts in a column of numeric affinity, as DATE and UUID are, but only of those that are some. */
const sqliteTextsButNumbers = hasAffinity('text', 'blob', 'numeric')
const sqliteIntegers = hasAffinity('integer', 'numeric')
const sqliteNumbers = hasAffinity('real', 'numeric', 'integer')

/**
 * A decimal number may stand in the table as a text, an integer or a float. A float leaves the database as one: the shortest
 * decimal that is the same float has the digits that were stored, and SQLite's own text of it may have others.
 */
const sqliteExactly = (column: Sql): Sql =>
  sql`iif(typeof(${column}) = 'real', ${column}, ${sqliteAsText(column)})`

const sqliteDecimal = {
  select: sqliteExactly,
  load: (stored) => canonicalDecimal(String(stored)),
  key: { of: (column) => sql`lapidary_decimal(${sqliteExactly(column)})`, bind: decimalKey },
} satisfies Partial<ColumnCodec<string>>

/** A whole number of so many characters is below 2^53, and a number is bound in a fraction of the time of a bigint. */
const digitsOfNumber = 15

/** How SQLite keeps the values of each form. */
export const sqliteCodecs = {
  /** None beyond 2^53 ever passes through a float: those leave the database as bigints. */
  id: {
    acceptsColumnType: sqliteIntegers,
    select: sqliteAsText,
    isExact: true,
    bind: (text) => (text.length <= digitsOfNumber ? Number(text) : BigInt(text)),
  } satisfies ColumnCodec<string>,
  text: { acceptsColumnType: sqliteTexts } satisfies ColumnCodec<string>,
  enumeration: { acceptsColumnType: sqliteTexts } satisfies ColumnCodec<string>,
  integer: {
    acceptsColumnType: sqliteIntegers,
    select: sqliteAsText,
    load: (stored) => {
      const value = parseStoredInteger(stored)
      return Number.isSafeInteger(Number(value)) ? Number(value) : value
    },
    bind: BigInt,
  } satisfies ColumnCodec<number | bigint>,
  /** Whole numbers of 64 bits; each is a `bigint`, however small. */
  integer64: {
    acceptsColumnType: sqliteIntegers,
    select: sqliteAsText,
    load: parseStoredInteger,
  } satisfies ColumnCodec<bigint>,
  number: { acceptsColumnType: sqliteNumbers, select: sqliteAsReal } satisfies ColumnCodec<number>,
  /** Decimal numbers of any size, as canonical texts. */
  decimal: {
    acceptsColumnType: hasAffinity('text'),
    ...sqliteDecimal,
  } satisfies ColumnCodec<string>,
  /** Decimal numbers of at most 15 digits, which a double holds: a column of numbers keeps them too. */
  decimal15: {
    acceptsColumnType: hasAffinity('text', 'numeric', 'real', 'integer'),
    ...sqliteDecimal,
  } satisfies ColumnCodec<string>,
  boolean: {
    acceptsColumnType: sqliteIntegers,
    load: (stored) => stored !== 0,
    bind: Number,
  } satisfies ColumnCodec<boolean>,
  /** Days compare as the texts they are stored as: an index serves, and a stored midnight is told but not found. */
  date: {
    acceptsColumnType: sqliteTextsButNumbers,
    load: parseStoredDate,
  } satisfies ColumnCodec<string>,
  /** Instants in UTC, of six digits of a second; those that others wrote may be spelled otherwise. */
  datetime: {
    acceptsColumnType: sqliteTextsButNumbers,
    load: parseStoredInstant,
    bind: formatFixedInstant,
    key: { of: (column) => sql`lapidary_datetime(${column})`, bind: instantKey },
  } satisfies ColumnCodec<string>,
  /** Times of day; those that others wrote may be spelled otherwise. */
  time: {
    acceptsColumnType: sqliteTextsButNumbers,
    load: parseStoredTime,
    key: { of: (column) => sql`lapidary_time(${column})`, bind: (value) => value },
  } satisfies ColumnCodec<string>,
  /** UUIDs in lower case; those that others wrote may be in upper case. */
  uuid: {
    acceptsColumnType: sqliteTextsButNumbers,
    load: parseStoredUuid,
    key: { of: (column) => sql`lower(${column})`, bind: (value) => value },
  } satisfies ColumnCodec<string>,
  /** UUIDs as ids and keys: those are in lower case, so that an index finds them. */
  uuidId: { acceptsColumnType: sqliteTextsButNumbers } satisfies ColumnCodec<string>,
  json: {
    acceptsColumnType: sqliteTextsButNumbers,
    load: parseStoredJson,
    bind: serializeJson,
  } satisfies ColumnCodec<JsonValue>,
  /** Bytes; a column keeps a BLOB as it is unless it is declared as something else. */
  bytes: {
    acceptsColumnType: hasAffinity('blob', 'numeric'),
    load: encodeStoredBytes,
    bind: (value) => Buffer.from(value, 'base64'),
  } satisfies ColumnCodec<string>,
} satisfies Record<string, ColumnCodec>
