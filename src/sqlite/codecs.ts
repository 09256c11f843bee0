import { sql } from 'kysely'
import type { ScalarCodecName } from '../model/kinds/codec-names.ts'
import type { ColumnCodec } from '../model/kinds/column-codec.ts'
import { decimalKey } from '../model/kinds/decimals.ts'
import { type JsonValue, serializeJson } from '../model/kinds/json.ts'
import { toStoredKey } from '../model/kinds/mixed-keys.ts'
import { formatFixedInstant, instantKey } from '../model/kinds/times.ts'
import type { Sql } from '../model/sql.ts'
import { createFormatCodecs } from '../sql/read/stored-format-codecs.ts'
import { hasAffinity, isIntegerByAccident } from './catalog/affinities.ts'
import { sqliteLoads } from './loads.ts'

/** Reads an integer as text, because node:sqlite throws when it reads one beyond 2^53 as a number. Keys are read as bigints. */
const asText = (column: Sql): Sql => sql`cast(${column} as text)`

/** Reads a number as a double: the table may contain an integer, even one beyond 2^53. A text is returned unchanged. */
const asReal = (column: Sql): Sql =>
  sql`iif(typeof(${column}) = 'integer', cast(${column} as real), ${column})`

/** Reads a number as text, and leaves a BLOB as it is, which is not a text. */
const asAnyText = (column: Sql): Sql =>
  sql`iif(typeof(${column}) = 'blob', ${column}, ${asText(column)})`

/** Reads 1 and 0 as the texts that ids have; null for any other value. */
const asBooleanText = (column: Sql): Sql =>
  sql`case ${column} when 1 then 'true' when 0 then 'false' end`

/** The JSON text `null` counts as null. */
export const isNullJson = (column: Sql): Sql =>
  sql`(${column} is null or trim(${column}, ' ' || char(9, 10, 13)) = 'null')`

/** Creates a `valid` that calls `load` of a codec. @param read - the `select` of the codec */
const validAs =
  (codec: string, read: (column: Sql) => Sql = (column) => column) =>
  (column: Sql): Sql =>
    sql`iif(lapidary_is_valid(${read(column)}, ${sql.lit(codec)}), ${column}, null)`

const acceptsText = hasAffinity('text', 'blob')
/** Numeric affinity, which DATE and UUID columns have, converts only texts that look like numbers. */
const acceptsNonNumericText = hasAffinity('text', 'blob', 'numeric')
/** A column of a type like POINT may store anything. Texts that look like numbers become numbers, as in a column of numeric affinity. */
const acceptsAnyText = (type: string): boolean =>
  acceptsNonNumericText(type) || isIntegerByAccident(type)
const acceptsMixedKeys = hasAffinity('integer', 'numeric', 'text')
const acceptsBytes = hasAffinity('blob', 'numeric')
const acceptsIntegers = hasAffinity('integer', 'numeric')
const acceptsNumbers = hasAffinity('real', 'numeric', 'integer')

/**
 * Reads a decimal number that is stored as text, integer or float. A float is read as one: the shortest decimal for the
 * same float has the digits that were stored, but SQLite's own text of it may have others.
 */
const asExactDecimal = (column: Sql): Sql =>
  sql`iif(typeof(${column}) = 'real', ${column}, ${asText(column)})`

const decimal = {
  select: asExactDecimal,
  load: sqliteLoads.decimal,
  valid: validAs('decimal', asExactDecimal),
  key: { of: (column) => sql`lapidary_decimal(${asExactDecimal(column)})`, bind: decimalKey },
} satisfies Partial<ColumnCodec<string>>

/** Integers with this many characters are below 2^53. Binding a number takes a fraction of the time of binding a bigint. */
const safeLength = 15

/** The codecs of SQLite. */
export const sqliteCodecs = {
  /** Integer ids as strings. The driver returns ids beyond 2^53 as bigints, so no double rounds them. */
  id: {
    acceptsColumnType: acceptsIntegers,
    select: asText,
    idText: asText,
    isExact: true,
    bind: (text) => (text.length <= safeLength ? Number(text) : BigInt(text)),
  } satisfies ColumnCodec<string>,
  text: {
    acceptsColumnType: acceptsText,
    idText: (column) => column,
    hasFreeIdText: true,
    load: sqliteLoads.text,
    keepsStrings: true,
    valid: validAs('text'),
  } satisfies ColumnCodec<string>,
  enumeration: {
    acceptsColumnType: acceptsText,
    load: sqliteLoads.enumeration,
    keepsStrings: true,
    valid: validAs('enumeration'),
  } satisfies ColumnCodec<string>,
  /** Enumerations as ids. */
  enumerationId: {
    acceptsColumnType: acceptsText,
    idText: (column) => column,
    hasFreeIdText: true,
  } satisfies ColumnCodec<string>,
  integer: {
    acceptsColumnType: acceptsIntegers,
    select: asText,
    load: sqliteLoads.integer,
    valid: validAs('integer', asText),
    bind: BigInt,
  } satisfies ColumnCodec<number | bigint>,
  /** 64-bit integers; small ones are `bigint`s too. */
  integer64: {
    acceptsColumnType: acceptsIntegers,
    select: asText,
    load: sqliteLoads.integer64,
    valid: validAs('integer64', asText),
  } satisfies ColumnCodec<bigint>,
  number: {
    acceptsColumnType: acceptsNumbers,
    select: asReal,
    load: sqliteLoads.number,
    // A response has null for an infinite number.
    valid: (column) => sql`nullif(nullif(${validAs('number', asReal)(column)}, 9e999), -9e999)`,
    isNull: (column) => sql`(${column} is null or ${column} in (9e999, -9e999))`,
  } satisfies ColumnCodec<number>,
  /** Decimal numbers of any size, as canonical text. */
  decimal: {
    acceptsColumnType: hasAffinity('text'),
    ...decimal,
  } satisfies ColumnCodec<string>,
  /** Decimal numbers of at most 15 digits: a double keeps them, so numeric columns can store them too. */
  decimal15: {
    acceptsColumnType: hasAffinity('text', 'numeric', 'real', 'integer'),
    ...decimal,
  } satisfies ColumnCodec<string>,
  boolean: {
    acceptsColumnType: acceptsIntegers,
    load: sqliteLoads.boolean,
    valid: validAs('boolean'),
    bind: Number,
  } satisfies ColumnCodec<boolean>,
  /** Booleans as ids, with the texts `true` and `false`. */
  booleanId: {
    acceptsColumnType: acceptsIntegers,
    select: asBooleanText,
    idText: asBooleanText,
    bind: (text) => Number(text === 'true'),
  } satisfies ColumnCodec<string>,
  /** Compares the stored text, so that an index can be used. A stored midnight is readable, but filters do not match it. */
  date: {
    acceptsColumnType: acceptsNonNumericText,
    idText: (column) => column,
    load: sqliteLoads.date,
    valid: validAs('date'),
  } satisfies ColumnCodec<string>,
  /** Stores UTC with six digits of a second. Reads the notations of other programs too. */
  datetime: {
    acceptsColumnType: acceptsNonNumericText,
    load: sqliteLoads.datetime,
    valid: validAs('datetime'),
    bind: formatFixedInstant,
    key: { of: (column) => sql`lapidary_datetime(${column})`, bind: instantKey },
  } satisfies ColumnCodec<string>,
  /** Reads the notations of other programs too. */
  time: {
    acceptsColumnType: acceptsNonNumericText,
    load: sqliteLoads.time,
    valid: validAs('time'),
    key: { of: (column) => sql`lapidary_time(${column})`, bind: (value) => value },
  } satisfies ColumnCodec<string>,
  /** Stores lower case. Reads upper case too. */
  uuid: {
    acceptsColumnType: acceptsNonNumericText,
    load: sqliteLoads.uuid,
    valid: validAs('uuid'),
    key: { of: (column) => sql`lower(${column})`, acceptsAll: true, bind: (value) => value },
  } satisfies ColumnCodec<string>,
  /** UUIDs as ids and keys. They must be stored in lower case, so that an index finds them. */
  uuidId: {
    acceptsColumnType: acceptsNonNumericText,
    idText: (column) => column,
  } satisfies ColumnCodec<string>,
  json: {
    acceptsColumnType: acceptsNonNumericText,
    load: sqliteLoads.json,
    valid: validAs('json'),
    isNull: isNullJson,
    bind: serializeJson,
  } satisfies ColumnCodec<JsonValue>,
  /** Any text. A number is read as its text. */
  databaseText: {
    acceptsColumnType: acceptsAnyText,
    select: asAnyText,
    load: sqliteLoads.databaseText,
    valid: validAs('databaseText', asAnyText),
    key: { of: asAnyText, acceptsAll: true, bind: (value) => value },
  } satisfies ColumnCodec<string>,
  /**
   * Numbers and texts as ids and keys: the id is the text of what is stored. Only in columns that store every text that looks like a number
   * as a number, so that a text has one stored form.
   */
  databaseTextId: {
    acceptsColumnType: (type) => type !== '' && acceptsMixedKeys(type),
    idText: asAnyText,
    hasFreeIdText: true,
    bind: (text) => toStoredKey(text, safeLength),
  } satisfies ColumnCodec<string>,
  databaseJson: {
    acceptsColumnType: acceptsNonNumericText,
    load: sqliteLoads.databaseJson,
    valid: validAs('databaseJson'),
    isNull: isNullJson,
    bind: serializeJson,
  } satisfies ColumnCodec<JsonValue>,
  /** Stores BLOBs, which no affinity converts. Columns for texts and numbers are not accepted, because other programs write those. */
  bytes: {
    acceptsColumnType: (type) => acceptsBytes(type) || isIntegerByAccident(type),
    load: sqliteLoads.bytes,
    valid: validAs('bytes'),
    bind: (value): Uint8Array => Buffer.from(value, 'base64'),
  } satisfies ColumnCodec<string>,
  ...createFormatCodecs({
    text: { acceptsColumnType: acceptsNonNumericText },
    integer: { acceptsColumnType: acceptsIntegers, select: asText },
    bindInteger: (value) => value,
    formatSeconds: (seconds, digits) =>
      sql`strftime(${sql.lit(`%Y-%m-%dT%H:%M:%${digits === 0 ? 'S' : 'f'}`)}, ${seconds}, 'unixepoch')`,
    validDatetime: (text, format) => validAs(format)(text),
  }),
} satisfies Record<ScalarCodecName, ColumnCodec>
