import { sql } from 'kysely'
import { suggest } from '../errors/suggestion.ts'
import type { StoredTable } from './catalog.ts'
import { type CodecName, getCodec } from './codecs.ts'
import type { DialectName } from './dialect.ts'
import type { Expression } from './fields.ts'

/** A column that a declaration speaks of: where it says so, and what it takes for granted. */
export interface ColumnReference {
  readonly location: string
  readonly column: string
  /** The form in which its values are read; any, where it is only compared. */
  readonly codec?: CodecName | undefined
  readonly notNull?: boolean
}

/** What is wrong with a mention of a column: it is not there, may be null, or keeps other values. */
export function findColumnErrors(
  { location, column, codec, notNull }: ColumnReference,
  table: StoredTable,
  dialect?: DialectName,
): string[] {
  const stored = table.columns.get(column)
  if (stored === undefined) {
    const names = suggest(column, [...table.columns.keys()], 'columns')
    return [`${location}: the table "${table.name}" has no column "${column}"; ${names}`]
  }
  const what = `the column "${column}" of the table "${table.name}"`
  if (notNull && stored.nullable && table.is === 'table')
    return [`${location}: ${what} may be null`]
  if (codec === undefined || dialect === undefined) return []
  // A view's column may have no type of its own.
  const isFit =
    (table.is === 'view' && stored.type === '') ||
    getCodec(codec, dialect).acceptsColumnType(stored.type)
  return isFit
    ? []
    : [
        `${location}: ${what} is of the type "${stored.type}", which does not keep values as ${codec} exactly`,
      ]
}

/** The columns that an expression speaks of. */
export function listColumns(expression: Expression, place: string): ColumnReference[] {
  const names = new Set<string>()
  expression((name) => {
    names.add(name)
    return sql.id(name)
  })
  return [...names].map((column) => ({ location: place, column }))
}

/** What is wrong with writing a column that the database generates. */
export function findGeneratedColumnErrors(
  place: string,
  column: string,
  table: StoredTable,
): string[] {
  if (table.columns.get(column)?.writable !== false) return []
  const what = `the column "${column}" of the table "${table.name}"`
  return [`${place}.access: ${what} is generated; say access: "read-only"`]
}

/** The columns that a new row must have a value in and would have none. */
export function findUnfilledColumns(table: StoredTable, filled: readonly string[]): string[] {
  return [...table.columns.values()]
    .filter(({ nullable, hasDefault, writable }) => writable && !nullable && !hasDefault)
    .flatMap(({ name }) => (filled.includes(name) ? [] : [name]))
}
