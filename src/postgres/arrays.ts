import { sql } from 'kysely'
import type { ColumnCodec, CreateArrayCodec } from '../model/kinds/column-codec.ts'
import { storedValueError } from '../model/kinds/stored-values.ts'
import type { BoundValue, Sql } from '../model/sql.ts'
import { loadElements } from '../sql/array-codecs.ts'

/** Elements whose text in an array is not what the `load` of their codec expects. */
const elementTexts: Readonly<Record<string, (text: string) => unknown>> = {
  boolean: (text) => text === 'true',
  bytes: (text) => {
    if (!text.startsWith('\\x')) throw storedValueError(text, 'bytes')
    return Buffer.from(text.slice(2), 'hex').toString('base64')
  },
}

/** Formats an array as the text that PostgreSQL parses (PostgreSQL 18, 8.15.6). */
export function formatArray(values: readonly BoundValue[]): string {
  return `{${values.map(formatElement).join(',')}}`
}

function formatElement(value: BoundValue): string {
  if (value === null) return 'NULL'
  const text =
    value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : String(value)
  return `"${text.replace(/[\\"]/g, '\\$&')}"`
}

/** Converts an array of any type to one of texts, as the codec of the elements reads them. */
function toTexts(column: Sql, name: string): Sql {
  if (name !== 'databaseText') return sql`${column}::text[]`
  // Only a single value can be printed; a cast would print `10.0.0.1` of the type `inet` as `10.0.0.1/32`.
  const [value, position] = [sql`"element"."value"`, sql`"element"."position"`]
  const printed = sql`case when ${value} is not null then format('%s', ${value}) end`
  const elements = sql`unnest(${column}) with ordinality as "element" ("value", "position")`
  return sql`case array_ndims(${column}) when 1 then array(select ${printed} from ${elements} order by ${position}) else ${column}::text[] end`
}

/** Converts a column to the array type in which it is compared. Four-byte floats are converted by way of their shortest text. */
function castElements(column: Sql, name: string, { type = 'text', toExact }: ColumnCodec): Sql {
  if (name === 'databaseText') return sql`(${toTexts(column, name)})`
  const cast = sql.raw(`${type}[]`)
  return toExact === undefined ? sql`${column}::${cast}` : sql`${column}::text[]::${cast}`
}

/** Keeps the arrays of one dimension whose elements can be loaded. */
function keepValid(column: Sql, { valid, isNull }: ColumnCodec, hasNulls: boolean): Sql {
  const element = sql`"element"."value"`
  const isNullElement = hasNulls && isNull ? isNull(element) : sql`${element} is null`
  const invalid = [
    ...(hasNulls ? [] : [sql`${element} is null`]),
    ...(valid ? [sql`(not ${isNullElement} and ${valid(element)} is null)`] : []),
  ]
  const hasInvalid = sql`exists (select 1 from unnest(${column}) as "element" ("value") where ${sql.join(invalid, sql` or `)})`
  const isFlat = sql`coalesce(array_ndims(${column}), 1) = 1`
  const isValid = invalid.length === 0 ? isFlat : sql`${isFlat} and not ${hasInvalid}`
  return sql`case when ${isValid} then ${column} end`
}

/**
 * The operators that compare whole arrays. PostgreSQL does not consider arrays with different subscripts equal, such as `[0:1]={a,b}` and
 * `{a,b}`; a slice begins with 1. Only `@>` can use an index, and it finds no null element.
 */
function arrayOperators(hasNulls: boolean): NonNullable<ColumnCodec['operators']> {
  const elements = (column: Sql) => sql`(${column})[:]`
  return {
    eq: (column, [value]) =>
      hasNulls
        ? sql`${elements(column)} = ${value}`
        : sql`(${column} @> ${value} and ${elements(column)} = ${value})`,
    ne: (column, [value]) => sql`${elements(column)} <> ${value}`,
    is_: (column, [value]) => sql`${elements(column)} is not distinct from ${value}`,
    isnot: (column, [value]) => sql`${elements(column)} is distinct from ${value}`,
  }
}

/** Creates the codec of columns of an array type. An array of several dimensions is not a value of it. */
export const postgresArrays: CreateArrayCodec = (element, { name, hasNulls }) => {
  const parse = elementTexts[name] ?? String
  const loadElement = (text: string) => (element.load ? element.load(parse(text)) : parse(text))
  const bindElement = (value: unknown): BoundValue =>
    value === null ? null : element.bind ? element.bind(value) : (value as BoundValue)
  return {
    acceptsColumnType: (type) =>
      type.endsWith('[]') && element.acceptsColumnType(type.slice(0, -2)),
    type: `${element.type ?? 'text'}[]`,
    select: (column) => sql`array_to_json(${toTexts(column, name)})::text`,
    load: (stored) =>
      loadElements(JSON.parse(String(stored)), hasNulls, (text) => {
        if (typeof text === 'string') return loadElement(text)
        throw storedValueError(stored, 'array', 'it has several dimensions')
      }),
    valid: (column) => keepValid(column, element, hasNulls),
    bind: (values) => formatArray(values.map(bindElement)),
    key: {
      of: (column) => castElements(column, name, element),
      bind: (values) => formatArray(values.map(bindElement)),
    },
    operators: arrayOperators(hasNulls),
  }
}
