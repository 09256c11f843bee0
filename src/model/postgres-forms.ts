import { sql } from 'kysely'
import type { ColumnForm } from './column-form.ts'
import { canonicalDecimal } from './decimals.ts'
import type { Sql } from './dialect.ts'
import { type JsonValue, jsonText, storedJson } from './json-values.ts'
import type { sqliteForms } from './sqlite-forms.ts'
import { storedInteger, storedUuid } from './stored.ts'
import { storedDayOf, storedInstantOf, storedTimeOf } from './times.ts'

/** Rows leave PostgreSQL as JSON: what JSON would change, or write otherwise, leaves it as text. */
const asText = (column: Sql): Sql => sql`${column}::text`

/** Texts by code point, whatever the collation of the column. */
const byCodePoint = (expression: Sql): Sql => sql`${expression} collate "C"`

/** Whether a type is one of those, its length or precision aside. */
function oneOf(...names: readonly string[]): (columnType: string) => boolean {
  return (type) => names.includes(type.replace(/\(.*?\)/, ''))
}

const integers = (type: string): boolean =>
  oneOf('bigint', 'integer', 'smallint')(type) || /^numeric(\(\d+,0\))?$/.test(type)
/** None of a `real`: it has six digits, and what is compared with it has more. */
const numbers = oneOf('double precision', 'numeric', 'bigint', 'integer', 'smallint')

/** Without the spaces that fill up a `character`; a text of any type compares as one. */
const text = {
  type: 'text',
  select: asText,
  order: byCodePoint,
  key: { of: asText, bind: (value) => value },
} satisfies Partial<ColumnForm<string>>

const integer = {
  suits: integers,
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
  text: {
    ...text,
    suits: oneOf('text', 'character varying', 'character', 'citext'),
  } satisfies ColumnForm<string>,
  /** An enumeration may be a type of its own. */
  enumeration: {
    ...text,
    suits: oneOf('text', 'character varying', 'character', 'citext', 'enum'),
  } satisfies ColumnForm<string>,
  integer: {
    ...integer,
    load: (stored) => {
      const value = storedInteger(stored)
      return Number.isSafeInteger(Number(value)) ? Number(value) : value
    },
  } satisfies ColumnForm<number | bigint>,
  integer64: { ...integer, load: storedInteger } satisfies ColumnForm<bigint>,
  number: {
    suits: numbers,
    type: 'double precision',
    select: (column) => sql`${column}::double precision`,
    // JSON has no infinities: they come as texts.
    load: Number,
  } satisfies ColumnForm<number>,
  decimal: {
    ...decimal,
    suits: oneOf('numeric', 'bigint', 'integer', 'smallint'),
  } satisfies ColumnForm<string>,
  decimal15: { ...decimal, suits: numbers } satisfies ColumnForm<string>,
  boolean: { suits: oneOf('boolean'), type: 'boolean', bind: String } satisfies ColumnForm<boolean>,
  date: {
    suits: oneOf('date'),
    type: 'date',
    select: asText,
    // As `to_char` does of instants.
    load: (stored) => (/^-?infinity$/.test(String(stored)) ? null : storedDayOf(stored)),
  } satisfies ColumnForm<string>,
  /** A timestamp without a zone is taken for one of UTC, which is the zone of every session of ours. */
  datetime: {
    suits: oneOf('timestamp with time zone', 'timestamp without time zone'),
    type: 'timestamptz',
    select: (column) =>
      sql`to_char(${column}::timestamptz at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
    load: storedInstantOf,
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
    type: 'jsonb',
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
