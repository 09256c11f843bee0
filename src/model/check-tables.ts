import { suggestion } from '../errors/nearest.ts'
import { DeclarationError } from './check.ts'
import { type Field, type Model, type ResourceType, typeNamed } from './model.ts'

/** A column as the database has it. */
export interface StoredColumn {
  readonly nullable: boolean
}

/** The tables and views of a database, their columns by name. */
export type Catalog = ReadonlyMap<string, ReadonlyMap<string, StoredColumn>>

/** A column that a declaration speaks of: where it says so, and what it takes for granted. */
interface Mention {
  readonly place: string
  readonly table: string
  readonly column: string
  readonly notNull: boolean
}

/**
 * Checks a model against the tables it is to be served from.
 * @throws DeclarationError with the path to every word that names a table or column that is not there
 */
export function checkTables(model: Model, catalog: Catalog): void {
  const mistakes = [...model.types.values()].flatMap((resource) =>
    tableMistakes(resource, model, catalog),
  )
  if (mistakes.length > 0) throw new DeclarationError(mistakes)
}

function tableMistakes(resource: ResourceType, model: Model, catalog: Catalog): string[] {
  if (!catalog.has(resource.table)) {
    const names = suggestion(resource.table, [...catalog.keys()], 'tables')
    return [`${resource.type}.table: the database has no table "${resource.table}"; ${names}`]
  }
  const id = {
    place: `${resource.type}.id`,
    table: resource.table,
    column: resource.id.column,
    notNull: false,
  }
  const fields = [...resource.fields.values()].flatMap((field) => mentions(field, resource, model))
  return [id, ...fields].flatMap((mention) => mistakeOf(mention, catalog))
}

function mentions(field: Field, resource: ResourceType, model: Model): Mention[] {
  const place = `${resource.type}.fields.${field.name}`
  const { table } = resource
  switch (field.is) {
    case 'attribute':
      return [{ place: `${place}.column`, table, column: field.column, notNull: false }]
    case 'computed':
      return field.columns.map(([column, use]) => ({
        place: `${place}.columns.${column}`,
        table,
        column,
        notNull: !use.nullable,
      }))
    case 'relationship': {
      const { here, there, key } = field.link
      const at =
        key === 'here'
          ? { table, column: here }
          : { table: typeNamed(model, field.to).table, column: there }
      return [{ place: `${place}.column`, ...at, notNull: false }]
    }
  }
}

function mistakeOf({ place, table, column, notNull }: Mention, catalog: Catalog): string[] {
  const columns = catalog.get(table)
  // A relationship's far table that is missing is told once, at its own resource.
  if (columns === undefined) return []
  const stored = columns.get(column)
  if (stored === undefined) {
    const names = suggestion(column, [...columns.keys()], 'columns')
    return [`${place}: the table "${table}" has no column "${column}"; ${names}`]
  }
  return notNull && stored.nullable
    ? [`${place}: the column "${column}" of the table "${table}" may be null`]
    : []
}
