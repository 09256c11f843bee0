import { sql } from 'kysely'
import type { ColumnCodec, CreateArrayCodec } from '../model/kinds/column-codec.ts'
import { type JsonValue, serializeJson } from '../model/kinds/json.ts'
import type { BoundValue, Sql } from '../model/sql.ts'
import { hasAffinity } from './catalog/affinities.ts'
import { isNullJson } from './codecs.ts'
import { loadSqliteArray } from './loads.ts'

/** How JSON text has what the codec of the elements binds; all others as a string or a number. */
const formats: Readonly<Record<string, (bound: unknown) => string>> = {
  number: formatDouble,
  boolean: (bound) => String(bound === 1),
  bytes: (bound) => `"${Buffer.from(bound as Uint8Array).toString('base64')}"`,
  // The codec binds JSON text.
  json: String,
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
  const format: (bound: BoundValue) => string = formats[name] ?? formatBound
  const load = codec.load?.bind(codec)
  const bindElement = (value: unknown) => (codec.bind ? codec.bind(value) : (value as BoundValue))
  const bindKey = (value: unknown) => (codec.key ? codec.key.bind(value) : bindElement(value))
  const formatAll = (values: readonly unknown[], formatOne: (value: unknown) => string) =>
    `[${values.map((value) => (value === null ? 'null' : formatOne(value))).join(',')}]`
  return {
    acceptsColumnType: acceptsText,
    load: (stored) => loadSqliteArray(stored, { name, hasNulls, load }),
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
