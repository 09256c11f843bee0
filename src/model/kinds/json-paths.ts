import { sql } from 'kysely'
import type { Sql } from '../sql.ts'
import type { Kind } from './kinds.ts'
import { isMemberName } from './member-names.ts'
import { booleanTextFormats, datetimeEpochFormats, datetimeTextFormats } from './stored-formats.ts'

/**
 * The values inside JSON that clients can filter and sort by: the kind of each, by its path of member names joined by dots, e.g.
 * `{ 'address.city': text }`. They are declared because JSON has no schema: a path may lead to a text in one row and to an object in
 * the next, which the databases convert differently. No member name is a number, which PostgreSQL takes for a position in an array or
 * for a name, whatever there is.
 */
export type JsonPaths = Readonly<Record<string, Kind<unknown>>>

/** A database, by how it reads values inside JSON. */
export interface PathDatabase {
  /** Compiles the value at a path of names in a JSON column: null unless it is a value that the reader reads. */
  readPath(column: Sql, names: readonly string[], reader: PathReader): Sql
}

/** Writes an expression over columns for a database. */
export type FieldExpression = (column: (name: string) => Sql, database: PathDatabase) => Sql

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
  return (columnOf, database) => {
    const value = database.readPath(columnOf(column), names, reader)
    return reader.foldsCase ? sql`lower(${value})` : value
  }
}
