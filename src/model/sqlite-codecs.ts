import { sql } from 'kysely'
import { ofAffinity } from './affinities.ts'
import type { ColumnForm } from './column-codec.ts'
import { canonicalDecimal, decimalKey } from './decimals.ts'
import type { Sql } from './dialect.ts'
import { type JsonValue, jsonText, storedJson } from './json-values.ts'
import { storedBytes, storedInteger, storedUuid } from './stored.ts'
import { fixedInstant, instantKey, storedDayOf, storedInstantOf, storedTimeOf } from './times.ts'

/** node:sqlite refuses to return an integer beyond 2^53 as a number: but for keys, integers leave the database as texts. */
const sqliteAsText = (column: Sql): Sql => sql`cast(${column} as text)`

/** A number may stand in the table as an integer, even one beyond 2^53. */
const sqliteAsReal = (column: Sql): Sql => sql`cast(${column} as real)`

const sqliteTexts = ofAffinity('text', 'blob')
/** SQLite makes numbers of texts in a column of numeric affinity, as DATE and UUID are, but only of those that are some. */
const sqliteTextsButNumbers = ofAffinity('text', 'blob', 'numeric')
const sqliteIntegers = ofAffinity('integer', 'numeric')
const sqliteNumbers = ofAffinity('real', 'numeric', 'integer')

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
} satisfies Partial<ColumnForm<string>>

/** A whole number of so many characters is below 2^53, and a number is bound in a fraction of the time of a bigint. */
const digitsOfNumber = 15

/** How SQLite keeps the values of each form. */
export const sqliteForms = {
  /** None beyond 2^53 ever passes through a float: those leave the database as bigints. */
  id: {
    suits: sqliteIntegers,
    select: sqliteAsText,
    isExact: true,
    bind: (text) => (text.length <= digitsOfNumber ? Number(text) : BigInt(text)),
  } satisfies ColumnForm<string>,
  text: { suits: sqliteTexts } satisfies ColumnForm<string>,
  enumeration: { suits: sqliteTexts } satisfies ColumnForm<string>,
  integer: {
    suits: sqliteIntegers,
    select: sqliteAsText,
    load: (stored) => {
      const value = storedInteger(stored)
      return Number.isSafeInteger(Number(value)) ? Number(value) : value
    },
    bind: BigInt,
  } satisfies ColumnForm<number | bigint>,
  /** Whole numbers of 64 bits; each is a `bigint`, however small. */
  integer64: {
    suits: sqliteIntegers,
    select: sqliteAsText,
    load: storedInteger,
  } satisfies ColumnForm<bigint>,
  number: { suits: sqliteNumbers, select: sqliteAsReal } satisfies ColumnForm<number>,
  /** Decimal numbers of any size, as canonical texts. */
  decimal: { suits: ofAffinity('text'), ...sqliteDecimal } satisfies ColumnForm<string>,
  /** Decimal numbers of at most 15 digits, which a double holds: a column of numbers keeps them too. */
  decimal15: {
    suits: ofAffinity('text', 'numeric', 'real', 'integer'),
    ...sqliteDecimal,
  } satisfies ColumnForm<string>,
  boolean: {
    suits: sqliteIntegers,
    load: (stored) => stored !== 0,
    bind: Number,
  } satisfies ColumnForm<boolean>,
  /** Days compare as the texts they are stored as: an index serves, and a stored midnight is told but not found. */
  date: { suits: sqliteTextsButNumbers, load: storedDayOf } satisfies ColumnForm<string>,
  /** Instants in UTC, of six digits of a second; those that others wrote may be spelled otherwise. */
  datetime: {
    suits: sqliteTextsButNumbers,
    load: storedInstantOf,
    bind: fixedInstant,
    key: { of: (column) => sql`lapidary_datetime(${column})`, bind: instantKey },
  } satisfies ColumnForm<string>,
  /** Times of day; those that others wrote may be spelled otherwise. */
  time: {
    suits: sqliteTextsButNumbers,
    load: storedTimeOf,
    key: { of: (column) => sql`lapidary_time(${column})`, bind: (value) => value },
  } satisfies ColumnForm<string>,
  /** UUIDs in lower case; those that others wrote may be in upper case. */
  uuid: {
    suits: sqliteTextsButNumbers,
    load: storedUuid,
    key: { of: (column) => sql`lower(${column})`, bind: (value) => value },
  } satisfies ColumnForm<string>,
  /** UUIDs as ids and keys: those are in lower case, so that an index finds them. */
  uuidId: { suits: sqliteTextsButNumbers } satisfies ColumnForm<string>,
  json: {
    suits: sqliteTextsButNumbers,
    load: storedJson,
    bind: jsonText,
  } satisfies ColumnForm<JsonValue>,
  /** Bytes; a column keeps a BLOB as it is unless it is declared as something else. */
  bytes: {
    suits: ofAffinity('blob', 'numeric'),
    load: storedBytes,
    bind: (value) => Buffer.from(value, 'base64'),
  } satisfies ColumnForm<string>,
} satisfies Record<string, ColumnForm>
