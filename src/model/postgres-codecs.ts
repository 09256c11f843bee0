import { sql } from 'kysely'
import type { ColumnForm } from './column-codec.ts'
import { canonicalDecimal } from './decimals.ts'
import type { Sql } from './dialect.ts'
import { type JsonValue, jsonText, storedJson } from './json-values.ts'
import type { sqliteForms } from './sqlite-codecs.ts'
import { storedInteger, storedUuid } from './stored.ts'
import { storedDayOf, storedInstantOf, storedTimeOf } from './times.ts'

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
} satisfies Partial<ColumnForm<string>>

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
  suits: ofIntegers,
  type: 'bigint',
  select: asText,
  bind: String,
} satisfies ColumnForm

const decimal = {
  type: 'numeric',
  select: asText,
  load: (stored) => canonicalDecimal(String(stored)),
} satisfies Partial<ColumnForm<string>>

const uuid = {
  suits: oneOf('uuid'),
  type: 'uuid',
  select: asText,
  load: storedUuid,
} satisfies ColumnForm<string>

/** How PostgreSQL keeps the values of each form. */
export const postgresForms = {
  id: integer,
  text: { ...text, suits: oneOf(...texts) } satisfies ColumnForm<string>,
  /** An enumeration may be a type of its own. */
  enumeration: { ...text, suits: oneOf(...texts, 'enum') } satisfies ColumnForm<string>,
  integer: {
    ...integer,
    load: (stored) => {
      const value = storedInteger(stored)
      return Number.isSafeInteger(Number(value)) ? Number(value) : value
    },
  } satisfies ColumnForm<number | bigint>,
  integer64: { ...integer, load: storedInteger } satisfies ColumnForm<bigint>,
  number: {
    suits: oneOf('double precision', 'real', ...exact),
    type: 'double precision',
    select: (column) => sql`${column}::double precision`,
    // JSON has no word for NaN and the infinities, so they leave as texts.
    load: Number,
    beside: exactly,
  } satisfies ColumnForm<number>,
  decimal: { ...decimal, suits: oneOf(...exact) } satisfies ColumnForm<string>,
  decimal15: {
    ...decimal,
    suits: oneOf('double precision', ...exact),
  } satisfies ColumnForm<string>,
  boolean: { suits: oneOf('boolean'), type: 'boolean', bind: String } satisfies ColumnForm<boolean>,
  date: {
    suits: oneOf('date'),
    type: 'date',
    select: asText,
    load: finite(storedDayOf),
  } satisfies ColumnForm<string>,
  /** A timestamp without a zone is taken for one of UTC, which is the zone of every session of ours. */
  datetime: {
    suits: oneOf('timestamp with time zone', 'timestamp without time zone'),
    type: 'timestamptz',
    select: (column) => sql`(${column}::timestamptz at time zone 'UTC')::text`,
    load: finite(storedInstantOf),
  } satisfies ColumnForm<string>,
  time: {
    suits: oneOf('time without time zone'),
    type: 'time',
    select: asText,
    load: storedTimeOf,
  } satisfies ColumnForm<string>,
  uuid,
  uuidId: uuid,
  json: {
    suits: oneOf('json', 'jsonb'),
    type: 'json',
    select: asText,
    load: storedJson,
    bind: jsonText,
  } satisfies ColumnForm<JsonValue>,
  bytes: {
    suits: oneOf('bytea'),
    type: 'bytea',
    select: (column) => sql`replace(encode(${column}, 'base64'), E'\n', '')`,
    bind: (value) => Buffer.from(value, 'base64'),
  } satisfies ColumnForm<string>,
} satisfies Record<keyof typeof sqliteForms, ColumnForm>
