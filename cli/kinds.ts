import {
  boolean,
  bytes,
  type Catalog,
  date,
  datetime,
  decimal,
  integer,
  integer64 as integers64,
  json,
  type Kind,
  keeps,
  number,
  type StoredColumn,
  text,
  time,
  uuid,
} from 'lapidary'
import { type Code, call, object, quoted } from './code.ts'

/** The expression of a kind, and what it needs of the door. */
export interface KindCode {
  /** The kind as the engine calls it, e.g. `decimal`. */
  readonly name: string
  readonly code: Code
}

const plainOnes = { text, integer, number, boolean, date, datetime, time, uuid, json, bytes }
const madeOnes = { integer64: integers64(), decimal: decimal(), enumeration: text }
const kinds: Readonly<Record<string, Readonly<Pick<Kind<unknown>, 'form'>>>> = {
  ...plainOnes,
  ...madeOnes,
}

/** The kinds that are names alone. */
export const plainKinds: readonly string[] = Object.keys(plainOnes)
/** The kinds that are made by functions. */
export const parametric: readonly string[] = Object.keys(madeOnes)

type Rule = readonly [type: RegExp, kind: (size: readonly string[]) => KindCode | undefined]

const plain = (name: string) => () => ({ name, code: name })
const integer64 = () => ({ name: 'integer64', code: call('integer64') })
const none = () => undefined

/** A number of so many digits, some of them after the point. */
function decimalOf(precision: string, scale = '0'): KindCode | undefined {
  const isKnown = Number(precision) >= 1 && Number(scale) <= Number(precision)
  const size = isKnown ? [object({ precision, scale })] : []
  return { name: 'decimal', code: call('decimal', ...size) }
}

/** The most digits that a column of numbers keeps in SQLite. */
const sqliteDigits = 15

/**
 * What the types of columns mean, by database, the first that fits first; types are in lower case. A row that says
 * `none` is for what looks like another row's and is not.
 */
// biome-ignore format: tables, one meaning a row
const rules: Readonly<Record<Catalog['dialect'], readonly Rule[]>> = {
  sqlite: [
    [/^bool/,                                                        plain('boolean')],
    [/^(?:datetime|timestamp)/,                                      plain('datetime')],
    [/^date$/,                                                       plain('date')],
    [/^time(?:\(\d\))?$/,                                            plain('time')],
    [/^(?:uuid|guid|uniqueidentifier)$/,                             plain('uuid')],
    [/^jsonb?$/,                                                     plain('json')],
    [/^(?:bigint|int8|int64|long|unsigned big int)(?:\(\d+\))?$/,    integer64],
    [/^(?:real|float|double)/,                                       plain('number')],
    [/^(?:decimal|numeric|number)\((\d+)(?:,(\d+))?\)$/,             ([digits = '', scale]) =>
      Number(digits) <= sqliteDigits ? decimalOf(digits, scale) : plain('number')()],
    [/^(?:decimal|numeric|number|money)$/,                           plain('number')],
    [/^(?:tiny|small|medium|unsigned )?int(?:eger)?\d?(?:\(\d+\))?(?: unsigned)?$/, plain('integer')],
    [/^(?:.*(?:char|clob|text).*)$/,                                 plain('text')],
    [/blob|^(?:var)?binary/,                                         plain('bytes')],
  ],
  postgres: [
    [/\[\]$/,                                                        none],
    [/^bool(?:ean)?$/,                                               plain('boolean')],
    [/^timestamp/,                                                   plain('datetime')],
    [/^date$/,                                                       plain('date')],
    [/^time(?:\(\d\))?(?: without time zone)?$/,                     plain('time')],
    [/^uuid$/,                                                       plain('uuid')],
    [/^jsonb?$/,                                                     plain('json')],
    [/^(?:bigint|int8|bigserial)$/,                                  integer64],
    [/^(?:smallint|integer|int|int2|int4|serial|smallserial)$/,      plain('integer')],
    [/^(?:real|double precision|float[48])$/,                        plain('number')],
    [/^(?:decimal|numeric)\((\d+)(?:,(\d+))?\)$/,                    ([digits = '', scale]) => decimalOf(digits, scale)],
    [/^(?:decimal|numeric)(?:\(.*\))?$/,                             () => ({ name: 'decimal', code: call('decimal') })],
    [/^(?:text|citext|bpchar|(?:var)?char|character(?: varying)?)(?:\(\d+\))?$/, plain('text')],
    [/^bytea$/,                                                      plain('bytes')],
  ],
}

/** The kind of what a column holds, or `undefined` where its type says too little. */
export function kindOf(
  column: StoredColumn,
  { dialect }: Pick<Catalog, 'dialect'>,
): KindCode | undefined {
  const type = column.type.toLowerCase().replace(/\s*([(),])\s*/g, '$1')
  const found = rules[dialect].find(([pattern]) => pattern.test(type))
  const kind = found?.[1](found[0].exec(type)?.slice(1) ?? [])
  // PostgreSQL's types of a few texts each are told as `enum`.
  const isListed = type === 'enum' || kind?.name === 'text'
  if (column.values === undefined || column.values.length === 0 || !isListed) return kind
  const values: Code = { is: 'list', items: [...new Set(column.values)].map(quoted) }
  return { name: 'enumeration', code: call('enumeration', values) }
}

/** Whether a column of keys keeps every value of the column that it refers to, as that one's kind reads them. */
export function keepsKeys(
  key: StoredColumn | undefined,
  to: StoredColumn | undefined,
  { dialect }: Pick<Catalog, 'dialect'>,
): boolean {
  if (key === undefined || to === undefined) return false
  const kind = kinds[kindOf(to, { dialect })?.name ?? '']
  return kind === undefined || keeps(key.type, kind, dialect)
}
