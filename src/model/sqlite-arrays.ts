import { sql } from 'kysely'
import { hasAffinity } from './affinities.ts'
import { type CreateArrayCodec, loadElements } from './array-codecs.ts'
import type { ColumnCodec } from './column-codec.ts'
import type { BoundValue, Sql } from './dialect.ts'
import { type JsonValue, parseExactJson, serializeJson } from './json.ts'
import { isNullJson } from './sqlite-codecs.ts'
import { storedValueError } from './stored-values.ts'
import { readBytes } from './texts.ts'

/** How elements are written in JSON text. */
interface ElementFormat {
  /** Converts the JSON of an element, never null, to what the `load` of its codec expects; `undefined` if it is not valid. */
  readonly parse: (json: unknown) => unknown
  /** Converts what the codec binds to JSON text. Absent: as a string or a number. */
  readonly format?: (bound: unknown) => string
}

const isNumeric = (json: unknown) => typeof json === 'number' || typeof json === 'bigint'
const asString: ElementFormat = {
  parse: (json) => (typeof json === 'string' ? json : undefined),
}
const asDigits: ElementFormat = { parse: (json) => (isNumeric(json) ? String(json) : undefined) }
const asDecimal: ElementFormat = {
  parse: (json) => (isNumeric(json) || typeof json === 'string' ? String(json) : undefined),
}

/** The formats by codec; all others are strings. */
const formats: Readonly<Record<string, ElementFormat>> = {
  integer: asDigits,
  integer64: asDigits,
  'epoch-seconds': asDigits,
  'epoch-milliseconds': asDigits,
  '1/0': asDigits,
  number: { parse: (json) => (isNumeric(json) ? Number(json) : undefined), format: formatDouble },
  decimal: asDecimal,
  decimal15: asDecimal,
  boolean: {
    parse: (json) => (typeof json === 'boolean' ? Number(json) : undefined),
    format: (bound) => String(bound === 1),
  },
  bytes: {
    parse: (json) => {
      const result = readBytes(json)
      return 'value' in result ? Buffer.from(result.value, 'base64') : undefined
    },
    format: (bound) => `"${Buffer.from(bound as Uint8Array).toString('base64')}"`,
  },
  // Parsed JSON is JSON.
  json: { parse: (json) => serializeJson(json as JsonValue), format: String },
}

/** SQLite reads digits without a point as an integer, which may differ from a large double. */
function formatDouble(value: unknown): string {
  const text = JSON.stringify(value)
  return /^-?\d{16,}$/.test(text) ? `${text}.0` : text
}

function formatBound(bound: BoundValue): string {
  return serializeJson(bound as JsonValue)
}

const element = sql`"element"."value"`
const wanted = sql`"wanted"."value"`
const acceptsText = hasAffinity('text', 'blob', 'numeric')

/** Unknown for a column that stores no array, and for a list that is null. */
const ifArray = (column: Sql, list: Sql, condition: Sql): Sql =>
  sql`iif(json_type(${column}) = 'array' and ${list} is not null, ${condition}, null)`

/** The operators on two JSON arrays: a column, and the comparison keys of the wanted elements. */
function arrayOperators({ key }: ColumnCodec): NonNullable<ColumnCodec['operators']> {
  const own = key ? key.of(element) : element
  const each = (column: Sql) => sql`json_each(${column}) as "element"`
  const eachWanted = (list: Sql) => sql`json_each(${list}) as "wanted"`
  const equals = (column: Sql, list: Sql) =>
    ifArray(
      column,
      list,
      sql`json_array_length(${column}) = json_array_length(${list}) and not exists (select 1 from ${each(column)}, ${eachWanted(list)} where "element"."key" = "wanted"."key" and ${own} is not ${wanted})`,
    )
  return {
    eq: (column, [list]) => equals(column, list),
    ne: (column, [list]) => sql`not (${equals(column, list)})`,
    is_: (column, [list]) => sql`((${equals(column, list)}) is true)`,
    isnot: (column, [list]) => sql`((${equals(column, list)}) is not true)`,
    contains: (column, [list]) =>
      ifArray(
        column,
        list,
        sql`not exists (select 1 from ${eachWanted(list)} where not exists (select 1 from ${each(column)} where ${own} = ${wanted}))`,
      ),
    overlaps: (column, [list]) =>
      ifArray(
        column,
        list,
        sql`exists (select 1 from ${each(column)}, ${eachWanted(list)} where ${own} = ${wanted})`,
      ),
  }
}

/** Creates the codec of columns with JSON arrays as text: SQLite has no array type. */
export const sqliteArrays: CreateArrayCodec = (codec, { name, hasNulls }) => {
  const { parse, format = formatBound } = formats[name] ?? asString
  const bindElement = (value: unknown) => (codec.bind ? codec.bind(value) : (value as BoundValue))
  const bindKey = (value: unknown) => (codec.key ? codec.key.bind(value) : bindElement(value))
  const formatAll = (values: readonly unknown[], formatOne: (value: unknown) => string) =>
    `[${values.map((value) => (value === null ? 'null' : formatOne(value))).join(',')}]`
  const loadElement = (json: unknown) => {
    const stored = parse(json)
    if (stored === undefined) throw storedValueError(json, name)
    return codec.load ? codec.load(stored) : stored
  }
  return {
    acceptsColumnType: acceptsText,
    load: (stored) => {
      const json = parseArray(stored)
      return json === null ? null : loadElements(json, hasNulls, loadElement)
    },
    valid: (column) =>
      sql`iif(lapidary_is_valid(${column}, ${sql.lit(`${name}${hasNulls ? '?' : ''}[]`)}), ${column}, null)`,
    isNull: isNullJson,
    bind: (values) => formatAll(values, (value) => format(bindElement(value))),
    key: {
      of: (column) => column,
      bind: (values) => formatAll(values, (value) => formatKey(bindKey(value))),
    },
    operators: arrayOperators(codec),
  }
}

/** `json_each` returns true as 1. */
function formatKey(key: BoundValue): string {
  return typeof key === 'number' ? formatDouble(key) : formatBound(key)
}

function parseArray(stored: unknown): unknown {
  if (typeof stored !== 'string') throw storedValueError(stored, 'array')
  try {
    return parseExactJson(stored)
  } catch {
    throw storedValueError(stored, 'array')
  }
}
