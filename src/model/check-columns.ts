import { sql } from 'kysely'
import { suggestion } from '../errors/suggestion.ts'
import type { StoredTable } from './catalog.ts'
import { type FormName, formNamed } from './codecs.ts'
import type { DialectName } from './dialect.ts'
import type { Expression } from './fields.ts'

/** A column that a declaration speaks of: where it says so, and what it takes for granted. */
export interface Mention {
  readonly place: string
  readonly column: string
  /** The form in which its values are read; any, where it is only compared. */
  readonly form?: FormName | undefined
  readonly notNull?: boolean
}

/** What is wrong with a mention of a column: it is not there, may be null, or keeps other values. */
export function columnMistakes(
  { place, column, form, notNull }: Mention,
  table: StoredTable,
  dialect?: DialectName,
): string[] {
  const stored = table.columns.get(column)
  if (stored === undefined) {
    const names = suggestion(column, [...table.columns.keys()], 'columns')
    return [`${place}: the table "${table.name}" has no column "${column}"; ${names}`]
  }
  const what = `the column "${column}" of the table "${table.name}"`
  if (notNull && stored.nullable && table.is === 'table') return [`${place}: ${what} may be null`]
  if (form === undefined || dialect === undefined) return []
  // A view's column may have no type of its own.
  const isFit =
    (table.is === 'view' && stored.type === '') || formNamed(form, dialect).suits(stored.type)
  return isFit
    ? []
    : [
        `${place}: ${what} is of the type "${stored.type}", which does not keep values as ${form} exactly`,
      ]
}

/** The columns that an expression speaks of. */
export function columnsIn(expression: Expression, place: string): Mention[] {
  const names = new Set<string>()
  expression((name) => {
    names.add(name)
    return sql.id(name)
  })
  return [...names].map((column) => ({ place, column }))
}

/** What is wrong with writing a column that the database generates. */
export function unwritable(place: string, column: string, table: StoredTable): string[] {
  if (table.columns.get(column)?.writable !== false) return []
  const what = `the column "${column}" of the table "${table.name}"`
  return [`${place}.access: ${what} is generated; say access: "read-only"`]
}

/** The columns that a new row must have a value in and would have none. */
export function nobodyFills(table: StoredTable, filled: readonly string[]): string[] {
  return [...table.columns.values()]
    .filter(({ nullable, hasDefault, writable }) => writable && !nullable && !hasDefault)
    .flatMap(({ name }) => (filled.includes(name) ? [] : [name]))
}
