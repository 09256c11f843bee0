import { sql } from 'kysely'
import type { ColumnCodec } from './column-codec.ts'
import { canonicalDecimal } from './decimals.ts'
import type { Sql } from './dialect.ts'
import { type JsonValue, parseStoredJson, serializeJson } from './json-values.ts'
import type { sqliteCodecs } from './sqlite-codecs.ts'
import { parseStoredInteger, parseStoredUuid } from './stored-values.ts'
import { parseStoredDate, parseStoredInstant, parseStoredTime } from './times.ts'

/** Rows leave PostgreSQL as JSON: what JSON would change, or write otherwise, leaves it as text. */
const asText = (column: Sql): Sql => sql`${column}::text`

/**
 * A double as the number it is, where PostgreSQL would make a double of a whole number beside it. Its text tells it from
 * every whole number up to 2^53; beyond, where its text is not all of its digits, its two halves of 32 bits are exact.
 */
const exactly = (expression: Sql): Sql => {
  const double = sql`(${expression})::double precision`
  const high = sql`floor(${double} / 4294967296)`
  return sql`case when abs(${double}) between 9007199254740992 and 18446744073709551616
    then ${high}::numeric * 4294967296 + (${double} - ${high} * 4294967296)::numeric
    else ${double}::text::numeric end`
}

/** Texts by code point, whatever the collation of the column. */
const byCodePoint = (expression: Sql): Sql => sql`${expression} collate "C"`

const texts = ['text', 'character varying', 'character', 'bpchar', 'citext']

/**
 * Texts are read and compared as texts, which is what most columns hold anyway: one of `character(n)` without the spaces
 * that fill it, one of `citext` letter for letter.
 */
const text = {
  type: 'text',
  select: asText,
  order: byCodePoint,
  key: { of: asText, bind: (value) => value },
} satisfies Partial<ColumnCodec<string>>

/** Whether a type is one of those, its length or precision aside. */
function oneOf(...names: readonly string[]): (columnType: string) => boolean {
  return (type) => names.includes(type.replace(/\(.*?\)/, ''))
}

const whole = ['bigint', 'integer', 'smallint']
const exact = [...whole, 'numeric']

/** Whether a type holds whole numbers; one of decimal numbers does when it has no place for others. */
function ofIntegers(type: string): boolean {
  return oneOf(...whole)(type) || /^numeric(?:\(\d+,0\))?$/.test(type)
}

/** A day or an instant; JSON has no word for `infinity`, so it is told as null. */
function finite(load: (stored: unknown) => string): (stored: unknown) => string | null {
  return (stored) => (stored === 'infinity' || stored === '-infinity' ? null : load(stored))
}

const integer = {
  acceptsColumnType: ofIntegers,
  type: 'bigint',
  select: asText,
  bind: String,
} satisfies ColumnCodec

const decimal = {
  type: 'numeric',
  select: asText,
  load: (stored) => canonicalDecimal(String(stored)),
} satisfies Partial<ColumnCodec<string>>

const uuid = {
  acceptsColumnType: oneOf('uuid'),
  type: 'uuid',
  select: asText,
  load: parseStoredUuid,
} satisfies ColumnCodec<string>

/** How PostgreSQL keeps the values of each form. */
export const postgresCodecs = {
  id: integer,
  text: { ...text, acceptsColumnType: oneOf(...texts) } satisfies ColumnCodec<string>,
  /** An enumeration may be a type of its own. */
  enumeration: {
    ...text,
    acceptsColumnType: oneOf(...texts, 'enum'),
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
    acceptsColumnType: oneOf('double precision', 'real', ...exact),
    type: 'double precision',
    select: (column) => sql`${column}::double precision`,
    // JSON has no word for NaN and the infinities, so they leave as texts.
    load: Number,
    toExact: exactly,
  } satisfies ColumnCodec<number>,
  decimal: { ...decimal, acceptsColumnType: oneOf(...exact) } satisfies ColumnCodec<string>,
  decimal15: {
    ...decimal,
    acceptsColumnType: oneOf('double precision', ...exact),
  } satisfies ColumnCodec<string>,
  boolean: {
    acceptsColumnType: oneOf('boolean'),
    type: 'boolean',
    bind: String,
  } satisfies ColumnCodec<boolean>,
  date: {
    acceptsColumnType: oneOf('date'),
    type: 'date',
    select: asText,
    load: finite(parseStoredDate),
  } satisfies ColumnCodec<string>,
  /** A timestamp without a zone is taken for one of UTC, which is the zone of every session of ours. */
  datetime: {
    acceptsColumnType: oneOf('timestamp with time zone', 'timestamp without time zone'),
    type: 'timestamptz',
    select: (column) => sql`(${column}::timestamptz at time zone 'UTC')::text`,
    load: finite(parseStoredInstant),
  } satisfies ColumnCodec<string>,
  time: {
    acceptsColumnType: oneOf('time without time zone'),
    type: 'time',
    select: asText,
    load: parseStoredTime,
  } satisfies ColumnCodec<string>,
  uuid,
  uuidId: uuid,
  json: {
    acceptsColumnType: oneOf('json', 'jsonb'),
    type: 'json',
    select: asText,
    load: parseStoredJson,
    bind: serializeJson,
  } satisfies ColumnCodec<JsonValue>,
  bytes: {
    acceptsColumnType: oneOf('bytea'),
    type: 'bytea',
    select: (column) => sql`replace(encode(${column}, 'base64'), E'\n', '')`,
    bind: (value) => Buffer.from(value, 'base64'),
  } satisfies ColumnCodec<string>,
} satisfies Record<keyof typeof sqliteCodecs, ColumnCodec>
