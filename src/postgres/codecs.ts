import { sql } from 'kysely'
import type { ScalarCodecName } from '../model/kinds/codec-names.ts'
import type { ColumnCodec } from '../model/kinds/column-codec.ts'
import { canonicalDecimal } from '../model/kinds/decimals.ts'
import { type JsonValue, serializeJson } from '../model/kinds/json.ts'
import { parseStoredJson } from '../model/kinds/json-values.ts'
import { type DatetimeTextFormat, datetimeTextFormats } from '../model/kinds/stored-formats.ts'
import { parseStoredInteger, parseStoredUuid } from '../model/kinds/stored-values.ts'
import { parseStoredDate, parseStoredInstant, parseStoredTime } from '../model/kinds/times.ts'
import type { Sql } from '../model/sql.ts'
import { createFormatCodecs } from '../sql/read/stored-format-codecs.ts'

/** Reads a value as text. PostgreSQL returns rows as JSON, which would change the value or its notation. */
const asText = (column: Sql): Sql => sql`${column}::text`

/** Reads a value as PostgreSQL prints it: a cast to `text` would print `10.0.0.1` of the type `inet` as `10.0.0.1/32`. */
const asPrinted = (column: Sql): Sql =>
  sql`(case when ${column} is not null then format('%s', ${column}) end)`

/**
 * Converts a double to an exact numeric, where PostgreSQL would compare it with an integer as doubles. Up to 2^53 the text
 * of a double is exact. Beyond, where the text lacks digits, the upper and lower 32 bits are converted separately.
 */
const toExactNumeric = (expression: Sql): Sql => {
  const double = sql`(${expression})::double precision`
  const high = sql`floor(${double} / 4294967296)`
  return sql`case when abs(${double}) between 9007199254740992 and 18446744073709551616
    then ${high}::numeric * 4294967296 + (${double} - ${high} * 4294967296)::numeric
    else ${double}::text::numeric end`
}

/** Sorts texts by code point, regardless of the column's collation. */
const byCodePoint = (expression: Sql): Sql => sql`${expression} collate "C"`

/** Keeps the texts of a format that are on the calendar. */
const inCalendar = (column: Sql, format: DatetimeTextFormat): Sql => {
  const pattern = format
    .replace(/[.+]/g, '\\$&')
    .replace('YYYY', '(?!0000)\\d{4}')
    .replace('-MM', '-(0[1-9]|1[0-2])')
    .replace('DD', '(0[1-9]|[12]\\d|3[01])')
    .replace('HH:MM:SS', '([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d')
    .replace(/S+/, (digits) => `\\d{${digits.length}}`)
  const [year, month, day] = [
    [1, 4],
    [6, 2],
    [9, 2],
  ].map(([from, length]) => sql`substr(${column}, ${sql.lit(from)}, ${sql.lit(length)})::integer`)
  const lastDay = sql`extract(day from make_date(${year}, ${month}, 1) + interval '1 month - 1 day')`
  // Only the outer `case` guarantees that the date is read after the test of its digits.
  return sql`case when ${column} ~ ${sql.lit(`^${pattern}$`)} then case when ${day} <= ${lastDay} then ${column} end end`
}

/** Writes the canonical text of a datetime in a format: with all digits of a second. */
const toFormat = (canonical: Sql, format: DatetimeTextFormat): Sql => {
  const { digits, separator, zone } = datetimeTextFormats[format]
  const seconds = sql`replace(rtrim(${canonical}, 'Z'), 'T', ${sql.lit(separator)})`
  const fraction = sql`rpad(split_part(rtrim(${canonical}, 'Z'), '.', 2), ${sql.lit(digits)}, '0')`
  const padded = digits === 0 ? seconds : sql`split_part(${seconds}, '.', 1) || '.' || ${fraction}`
  return sql`(${padded} || ${sql.lit(zone)})`
}

const textTypes = ['text', 'character varying', 'character', 'bpchar', 'citext']

/**
 * Reads and compares strings as `text`: `character(n)` without its padding, `citext` case-sensitively.
 */
const text = {
  type: 'text',
  select: asText,
  idText: asText,
  hasFreeIdText: true,
  order: byCodePoint,
  key: { of: asText, acceptsAll: true, bind: (value) => value },
} satisfies Partial<ColumnCodec<string>>

/** Creates a predicate: true for these column types, regardless of their length or precision. */
function oneOf(...names: readonly string[]): (columnType: string) => boolean {
  return (type) => names.includes(type.replace(/\(.*?\)/, ''))
}

const integerTypes = ['bigint', 'integer', 'smallint']
const exactTypes = [...integerTypes, 'numeric']

/** True for integer types, and for numeric types with scale 0. */
function isIntegerType(type: string): boolean {
  return oneOf(...integerTypes)(type) || /^numeric(?:\(\d+,0\))?$/.test(type)
}

/** Creates a `load` for dates and times that returns null for `infinity`, which JSON cannot express. */
function loadFinite(load: (stored: unknown) => string): (stored: unknown) => string | null {
  return (stored) => (stored === 'infinity' || stored === '-infinity' ? null : load(stored))
}

/** Whether a date or timestamp is returned as null. An index finds these values. */
const isNoTime = (column: Sql): Sql =>
  sql`(${column} is null or ${column} in ('infinity', '-infinity'))`

/** Keeps dates and timestamps of the years 1 to 9999; the others, and `infinity`, become null. */
const inFourDigitYears = (column: Sql): Sql =>
  sql`case when ${column} >= '0001-01-01' and ${column} < '10000-01-01' then ${column} end`

/** Keeps numbers that are whole and have at most 64 bits. */
const inWholeNumbers = (column: Sql): Sql =>
  sql`case when ${column}::numeric between -9223372036854775808 and 9223372036854775807 and ${column}::numeric = trunc(${column}::numeric) then ${column} end`

/** Keeps finite numbers. The column may be of an integer type, which has no `NaN` to compare with. */
const inFiniteNumbers = (column: Sql): Sql =>
  sql`case when ${column}::text not in ('NaN', 'Infinity', '-Infinity') then ${column} end`

const integer = {
  acceptsColumnType: isIntegerType,
  type: 'bigint',
  select: asText,
  idText: asText,
  bind: String,
  valid: inWholeNumbers,
} satisfies ColumnCodec

const decimal = {
  type: 'numeric',
  select: asText,
  idText: (column) => sql`trim_scale(${column}::numeric)::text`,
  load: (stored) => canonicalDecimal(String(stored)),
  valid: inFiniteNumbers,
} satisfies Partial<ColumnCodec<string>>

const uuid = {
  acceptsColumnType: oneOf('uuid'),
  type: 'uuid',
  select: asText,
  idText: asText,
  load: parseStoredUuid,
} satisfies ColumnCodec<string>

/** The codecs of PostgreSQL. */
export const postgresCodecs = {
  id: integer,
  text: { ...text, acceptsColumnType: oneOf(...textTypes) } satisfies ColumnCodec<string>,
  /** The column may have an enum type. */
  enumeration: {
    ...text,
    acceptsColumnType: oneOf(...textTypes, 'enum'),
  } satisfies ColumnCodec<string>,
  /** Enumerations as ids. The index of a column with an enum type serves only a parameter of this type. */
  enumerationId: {
    ...text,
    acceptsColumnType: oneOf(...textTypes, 'enum'),
    infersType: true,
  } satisfies ColumnCodec<string>,
  integer: {
    ...integer,
    load: (stored) => {
      const value = parseStoredInteger(stored)
      return Number.isSafeInteger(Number(value)) ? Number(value) : value
    },
  } satisfies ColumnCodec<number | bigint>,
  integer64: { ...integer, load: parseStoredInteger } satisfies ColumnCodec<bigint>,
  number: {
    acceptsColumnType: oneOf('double precision', 'real', ...exactTypes),
    type: 'double precision',
    // The shortest text that reads back as the same number: of a float with four bytes, too.
    select: asText,
    // JSON has no NaN and no infinity.
    load: (stored) => {
      const value = Number(stored)
      return Number.isFinite(value) ? value : null
    },
    valid: inFiniteNumbers,
    isNull: (column) => sql`(${inFiniteNumbers(column)} is null)`,
    toExact: toExactNumeric,
  } satisfies ColumnCodec<number>,
  decimal: { ...decimal, acceptsColumnType: oneOf(...exactTypes) } satisfies ColumnCodec<string>,
  decimal15: {
    ...decimal,
    acceptsColumnType: oneOf('double precision', ...exactTypes),
  } satisfies ColumnCodec<string>,
  boolean: {
    acceptsColumnType: oneOf('boolean'),
    type: 'boolean',
    bind: String,
  } satisfies ColumnCodec<boolean>,
  /** Booleans as ids, with the texts `true` and `false`. */
  booleanId: {
    acceptsColumnType: oneOf('boolean'),
    type: 'boolean',
    select: asText,
    idText: asText,
  } satisfies ColumnCodec<string>,
  date: {
    acceptsColumnType: oneOf('date'),
    type: 'date',
    select: asText,
    idText: asText,
    load: loadFinite(parseStoredDate),
    valid: inFourDigitYears,
    isNull: isNoTime,
  } satisfies ColumnCodec<string>,
  /** A timestamp without a zone is UTC, the time zone of every session of the store. */
  datetime: {
    acceptsColumnType: oneOf('timestamp with time zone', 'timestamp without time zone'),
    type: 'timestamptz',
    // The canonical text, without zeros at the end of the fraction; what it cannot express as PostgreSQL prints it.
    idText: (column) =>
      sql`case when ${inFourDigitYears(column)} is null then (${column}::timestamptz at time zone 'UTC')::text
        else rtrim(rtrim(to_char(${column}::timestamptz at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' end`,
    select: (column) => sql`(${column}::timestamptz at time zone 'UTC')::text`,
    load: loadFinite(parseStoredInstant),
    valid: inFourDigitYears,
    isNull: isNoTime,
  } satisfies ColumnCodec<string>,
  time: {
    acceptsColumnType: oneOf('time without time zone'),
    type: 'time',
    select: asText,
    idText: asText,
    load: parseStoredTime,
    valid: (column) => sql`nullif(${column}, '24:00')`,
  } satisfies ColumnCodec<string>,
  uuid,
  uuidId: uuid,
  json: {
    acceptsColumnType: oneOf('json', 'jsonb'),
    type: 'json',
    select: asText,
    load: parseStoredJson,
    isNull: (column) => sql`(${column} is null or btrim(${column}::text, E' \\t\\n\\r') = 'null')`,
    bind: serializeJson,
  } satisfies ColumnCodec<JsonValue>,
  /** Compares the text that a response contains. */
  databaseText: {
    ...text,
    acceptsColumnType: () => true,
    select: asPrinted,
    key: { of: asPrinted, acceptsAll: true, bind: (value) => value },
  } satisfies ColumnCodec<string>,
  /** Not in ids: a column of PostgreSQL has values of one type, which has a kind of its own. */
  databaseTextId: {
    acceptsColumnType: () => true,
  } satisfies ColumnCodec<string>,
  databaseJson: {
    acceptsColumnType: () => true,
    select: (column) => sql`to_json(${column})::text`,
    load: parseStoredJson,
    bind: serializeJson,
  } satisfies ColumnCodec<JsonValue>,
  bytes: {
    acceptsColumnType: oneOf('bytea'),
    type: 'bytea',
    select: (column) => sql`replace(encode(${column}, 'base64'), E'\n', '')`,
    bind: (value): Uint8Array => Buffer.from(value, 'base64'),
  } satisfies ColumnCodec<string>,
  ...createFormatCodecs({
    text: { ...text, acceptsColumnType: oneOf(...textTypes) },
    integer: { acceptsColumnType: isIntegerType, type: 'bigint', select: asText },
    bindInteger: String,
    formatSeconds: (seconds, digits) =>
      sql`to_char(to_timestamp(${seconds}) at time zone 'UTC', ${sql.lit(`YYYY-MM-DD"T"HH24:MI:SS${digits === 0 ? '' : '.MS'}`)})`,
    fromCanonical: {
      text: toFormat,
      epoch: (text, unitsPerSecond) =>
        sql`(extract(epoch from ${text}::timestamptz) * ${sql.lit(unitsPerSecond)})::bigint`,
    },
    validDatetime: inCalendar,
  }),
} satisfies Record<ScalarCodecName, ColumnCodec>
