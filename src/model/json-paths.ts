import { sql } from 'kysely'
import type { DialectName, Sql } from './dialect.ts'
import type { Kind } from './kinds.ts'
import { isMemberName } from './member-names.ts'
import { formatArray } from './postgres-arrays.ts'
import { booleanTextFormats, datetimeEpochFormats, datetimeTextFormats } from './stored-formats.ts'

/**
 * The values inside JSON that clients can filter and sort by: the kind of each, by its path of member names joined by dots, e.g.
 * `{ 'address.city': text }`. They are declared because JSON has no schema: a path may lead to a text in one row and to an object in
 * the next, which the databases convert differently. No member name is a number, which PostgreSQL takes for a position in an array or
 * for a name, whatever there is.
 */
export type JsonPaths = Readonly<Record<string, Kind<unknown>>>

/** Writes an expression over columns for a database. */
export type FieldExpression = (column: (name: string) => Sql, dialect: DialectName) => Sql

/** How a value inside JSON is read. */
interface PathReader {
  /** The JSON that is a value of the kind. Anything else counts as null. */
  readonly json: 'string' | 'integer' | 'number' | 'boolean'
  /** Texts that are values, as a regular expression and as a pattern of GLOB. Absent: every text. */
  readonly pattern?: readonly [regularExpression: string, glob: string]
  /** True for texts that are compared in lower case. */
  readonly foldsCase?: boolean
  /** True if a text is compared as such, although a column of the kind has a type of its own. */
  readonly isText?: boolean
}

const digits = (count: number) => '[0-9]'.repeat(count)

const readers: Readonly<Record<string, PathReader>> = {
  text: { json: 'string' },
  enumeration: { json: 'string' },
  date: {
    json: 'string',
    pattern: ['^[0-9]{4}-[0-9]{2}-[0-9]{2}$', `${digits(4)}-${digits(2)}-${digits(2)}`],
    isText: true,
  },
  uuid: { json: 'string', foldsCase: true, isText: true },
  integer: { json: 'integer' },
  integer64: { json: 'integer' },
  number: { json: 'number' },
  boolean: { json: 'boolean' },
  '1/0': { json: 'integer' },
  ...readAll(datetimeTextFormats, 'string'),
  ...readAll(datetimeEpochFormats, 'integer'),
  ...readAll(booleanTextFormats, 'string'),
}

function readAll(formats: object, json: PathReader['json']): Record<string, PathReader> {
  return Object.fromEntries(Object.keys(formats).map((name) => [name, { json }]))
}

function findReader({ codec }: Kind<unknown>): PathReader | undefined {
  return typeof codec === 'string' && Object.hasOwn(readers, codec) ? readers[codec] : undefined
}

/** The name of a path in filters: the attribute and the members, joined by `__`. */
export function toFilterName(attribute: string, path: string): string {
  return [attribute, ...path.split('.')].join('__')
}

/** Returns the errors of the paths of an attribute, each without the location of the attribute. */
export function findPathErrors(kind: Kind<unknown>, paths: JsonPaths): string[] {
  if (kind.codec !== 'json')
    return [`.paths: only attributes of the kind json have paths; this has the kind ${kind.name}`]
  return Object.entries(paths).flatMap(([path, kind]) => {
    const location = `.paths[${JSON.stringify(path)}]`
    const invalid = path.split('.').find((name) => !isPathName(name))
    if (invalid !== undefined)
      return [
        `${location}: ${JSON.stringify(invalid)} must be a member name without "__" that is not a number; for another member declare an expression`,
      ]
    if (findReader(kind) !== undefined) return []
    const advice =
      kind.codec === 'datetime'
        ? 'declare the format of its texts, as in storedAs(datetime, "YYYY-MM-DDTHH:MM:SS.SSSZ")'
        : 'use text, integer, number, boolean, date or uuid, or declare an expression'
    return [`${location}: a value inside JSON cannot be of the kind ${kind.name}; ${advice}`]
  })
}

/** A number would be a position in an array on one database and the name of a member on the other. */
function isPathName(name: string): boolean {
  return isMemberName(name) && !/^\d+$/.test(name) && !name.includes('__')
}

/** The kind with which a value inside JSON is compared: a date is compared as text there. */
export function toPathKind(kind: Kind<unknown>): Kind<unknown> {
  return findReader(kind)?.isText
    ? { ...kind, codec: 'text', comparesAs: `${kind.comparesAs} in JSON` }
    : kind
}

/** Writes the value at a path: null unless it is JSON of the kind. Needs a kind that passed `findPathErrors`. */
export function toPathExpression(
  column: string,
  path: string,
  kind: Kind<unknown>,
): FieldExpression {
  const reader = findReader(kind) ?? { json: 'string' }
  const names = path.split('.')
  return (columnOf, dialect) => {
    const value = (dialect === 'sqlite' ? readSqlite : readPostgres)(
      columnOf(column),
      names,
      reader,
    )
    return reader.foldsCase ? sql`lower(${value})` : value
  }
}

/** `json` and `jsonb` both have these operators. The first character of JSON text determines its type. */
function readPostgres(column: Sql, names: readonly string[], { json, pattern }: PathReader): Sql {
  const path = sql.lit(formatArray(names))
  const text = sql`(${column} #>> ${path})`
  const start = sql`left((${column} #> ${path})::text, 1)`
  const numeric = sql`(case when ${start} between '-' and '9' then ${text}::numeric end)`
  switch (json) {
    case 'string': {
      const isValue = pattern
        ? sql`${start} = '"' and ${text} ~ ${sql.lit(pattern[0])}`
        : sql`${start} = '"'`
      // With the collation of sorts, one index serves sorts and comparisons.
      return sql`((case when ${isValue} then ${text} end) collate "C")`
    }
    case 'boolean':
      return sql`(case when ${start} in ('t', 'f') then ${text}::boolean end)`
    case 'integer':
      return sql`(case when ${numeric} = trunc(${numeric}) and ${numeric} between -9223372036854775808 and 9223372036854775807 then ${numeric}::bigint end)`
    case 'number':
      // Outside of these bounds the conversion would be an error.
      return sql`(case when abs(${numeric}) < 2.4703282292062328e-324 then 0 when abs(${numeric}) <= 1.7976931348623157e308 then ${numeric}::double precision end)`
  }
}

function readSqlite(column: Sql, names: readonly string[], { json, pattern }: PathReader): Sql {
  const path = sql.lit(`$${names.map((name) => `."${name}"`).join('')}`)
  const type = sql`json_type(${column}, ${path})`
  const value = sql`json_extract(${column}, ${path})`
  const ifValue = (isValue: Sql, then: Sql) =>
    sql`iif(json_valid(${column}) and ${isValue}, ${then}, null)`
  switch (json) {
    case 'string': {
      const matches = pattern ? sql` and ${value} glob ${sql.lit(pattern[1])}` : sql``
      return ifValue(sql`${type} = 'text'${matches}`, value)
    }
    case 'boolean':
      return ifValue(sql`${type} in ('true', 'false')`, value)
    case 'integer': {
      const whole = sql`cast(${value} as integer)`
      return ifValue(sql`${type} in ('integer', 'real') and ${value} = ${whole}`, whole)
    }
    case 'number': {
      const isInRange = sql`abs(cast(${value} as real)) <= 1.7976931348623157e308`
      return ifValue(
        sql`${type} in ('integer', 'real') and ${isInRange}`,
        sql`cast(${value} as real)`,
      )
    }
  }
}
