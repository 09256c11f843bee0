import { listing, suggestion } from '../errors/nearest.ts'
import { type Catalog, isUnique, type StoredTable, tableIn } from './catalog.ts'
import { DeclarationError } from './check.ts'
import { columnMistakes, columnsIn, type Mention } from './check-columns.ts'
import { type Field, type Model, type ResourceType, type Table, typeNamed } from './model.ts'

/**
 * Checks a model against the tables it is to be served from.
 * @throws DeclarationError with a line per mistake, each with the path to the word that the tables do not bear out
 */
export function checkTables(model: Model, catalog: Catalog): void {
  const mistakes = [...model.types.values()].flatMap((resource) =>
    resourceMistakes(resource, { model, catalog }),
  )
  if (mistakes.length > 0) throw new DeclarationError(mistakes)
}

/** What a declaration is compared with. */
interface Ground {
  readonly model: Model
  readonly catalog: Catalog
}

function resourceMistakes(resource: ResourceType, ground: Ground): string[] {
  const { type, table: named } = resource
  const table = tableIn(ground.catalog, named)
  if (table === undefined) return [noTable(`${type}.table`, named, ground.catalog)]
  const mistakes = [
    ...idMistakes(resource, table, ground.catalog),
    ...expressionMistakes(resource, table),
    ...[...resource.fields.values()].flatMap((field) =>
      fieldMistakes(field, resource, table, ground),
    ),
  ]
  // What writes would meet is told once all that is read is there.
  return mistakes.length > 0 || !resource.writes ? mistakes : writeMistakes(resource, table)
}

function noTable(place: string, { schema, name }: Table, catalog: Catalog): string {
  const there = catalog.tables.filter((table) => table.schema === (schema ?? catalog.schema))
  const names = suggestion(
    name,
    there.map((table) => table.name),
    'tables',
  )
  const where = schema === undefined ? 'the database' : `the schema "${schema}"`
  return `${place}: ${where} has no table "${name}"; ${names}`
}

function idMistakes(
  { type, id, ids, writes }: ResourceType,
  table: StoredTable,
  { dialect }: Catalog,
): string[] {
  const place = `${type}.id`
  const mention: Mention = { place, column: id.column, form: id.kind.form }
  const mistakes = columnMistakes(mention, table, dialect)
  if (mistakes.length > 0 || table.is === 'view') return mistakes
  const what = `the column "${id.column}" of the table "${table.name}"`
  if (!isUnique(table, id.column)) return [`${place}: ${what} is not unique; ${keysOf(table)}`]
  const isGiven = ids.client === 'required' || ids.by === 'server' || !writes
  if (isGiven || table.columns.get(id.column)?.hasDefault) return []
  return [`${place}: ${what} has no default, so new rows would have no id; say client: "required"`]
}

function keysOf({ uniques }: StoredTable): string {
  const single = uniques.flatMap((columns) => (columns.length === 1 ? columns : []))
  return listing(single, 'unique columns')
}

/** What would make writes fail, whatever they bring. */
function writeMistakes(resource: ResourceType, table: StoredTable): string[] {
  const { type } = resource
  if (table.is === 'view')
    return [`${type}.access: "${table.name}" is a view; say access: "read-only"`]
  const filled = written(resource)
  const empty = [...table.columns.values()].filter(
    ({ name, nullable, hasDefault, writable }) =>
      writable && !nullable && !hasDefault && !filled.includes(name),
  )
  return [
    ...[...resource.fields.values()].flatMap((field) => attributeMistakes(field, type, table)),
    ...empty.map(
      ({ name }) =>
        `${type}.newRows: no field writes the column "${name}" of the table "${table.name}", which has no default and must not be null`,
    ),
  ]
}

/** The columns that can be filled in a new row. */
function written({ id, newRows, fields }: ResourceType): string[] {
  const columns = [...fields.values()].flatMap((field) => {
    if (field.is === 'relationship') return field.link.key === 'here' ? [field.link.here] : []
    const isFilled = field.is === 'attribute' && (field.writes || field.makeDefault)
    return isFilled && field.column !== undefined ? [field.column] : []
  })
  return [id.column, ...newRows.map(([column]) => column), ...columns]
}

function expressionMistakes(resource: ResourceType, table: StoredTable): string[] {
  const { type, where, newRows } = resource
  const columns: Mention[] = [
    ...(where ? columnsIn(where, `${type}.where`) : []),
    ...newRows.map(([column]) => ({ place: `${type}.newRows.${column}`, column })),
  ]
  return columns.flatMap((mention) => columnMistakes(mention, table))
}

function fieldMistakes(
  field: Field,
  resource: ResourceType,
  table: StoredTable,
  ground: Ground,
): string[] {
  const place = `${resource.type}.fields.${field.name}`
  const { dialect } = ground.catalog
  switch (field.is) {
    case 'attribute': {
      if (field.column === undefined)
        return columnsIn(field.expression, place).flatMap((each) => columnMistakes(each, table))
      const mention = { place: `${place}.column`, column: field.column, form: field.kind.form }
      return columnMistakes(mention, table, dialect)
    }
    case 'computed':
      return field.columns.flatMap(([column, { kind, nullable }]) =>
        columnMistakes(
          { place: `${place}.columns.${column}`, column, form: kind.form, notNull: !nullable },
          table,
          dialect,
        ),
      )
    case 'relationship':
      return relationshipMistakes(field, resource, table, ground)
  }
}

/** What the column of a field does not allow to be written. */
function attributeMistakes(field: Field, type: string, table: StoredTable): string[] {
  if (field.is !== 'attribute' || !field.writes || field.column === undefined) return []
  const stored = table.columns.get(field.column)
  if (stored === undefined) return []
  const place = `${type}.fields.${field.name}`
  const what = `the column "${stored.name}" of the table "${table.name}"`
  if (!stored.writable) return [`${place}.access: ${what} is generated; say access: "read-only"`]
  const isOptional = !field.required && field.makeDefault === undefined
  return isOptional && !stored.nullable && !stored.hasDefault
    ? [`${place}.required: ${what} must not be null and has no default; say required: true`]
    : []
}

function relationshipMistakes(
  field: Extract<Field, { is: 'relationship' }>,
  resource: ResourceType,
  own: StoredTable,
  { model, catalog }: Ground,
): string[] {
  const place = `${resource.type}.fields.${field.name}`
  const { link } = field
  const target = typeNamed(model, field.to)
  const theirs = tableIn(catalog, target.table)
  // A far table that is missing is told once, at its own resource.
  if (theirs === undefined) return []
  const key = { place: `${place}.column` }
  const referred = { place: `${place}.references` }
  const here = { ...(link.key === 'here' ? key : referred), column: link.here }
  const there = { ...(link.key === 'there' ? key : referred), column: link.there }
  const mistakes = [...columnMistakes(here, own), ...columnMistakes(there, theirs)]
  if (mistakes.length > 0) return mistakes
  if (link.key === 'between') return joinMistakes(field, place, catalog)
  const referredMistakes = referenceMistakes(field, referred.place, {
    resource,
    target,
    own,
    theirs,
  })
  if (referredMistakes.length > 0) return referredMistakes
  const isShared = link.key === 'there' && !field.many && theirs.is === 'table'
  return isShared && !isUnique(theirs, link.there)
    ? [
        `${key.place}: the column "${link.there}" of the table "${theirs.name}" is not unique, so there may be many; say toMany`,
      ]
    : []
}

/** Both sides of a relationship. */
interface Sides {
  readonly resource: ResourceType
  readonly target: ResourceType
  readonly own: StoredTable
  readonly theirs: StoredTable
}

/** What is wrong with the column that a key refers to: it must tell rows apart, and all of them if links are to be made. */
function referenceMistakes(
  { link, writes }: Extract<Field, { is: 'relationship' }>,
  place: string,
  { resource, target, own, theirs }: Sides,
): string[] {
  const isHere = link.key === 'here'
  const [one, column, { id }] = isHere ? [theirs, link.there, target] : [own, link.here, resource]
  if (one.is === 'view') return []
  const what = `the column "${column}" of the table "${one.name}"`
  if (!isUnique(one, column)) return [`${place}: ${what} is not unique`]
  return writes && column !== id.column && one.columns.get(column)?.nullable
    ? [`${place}: ${what} may be null, and such a row cannot be linked; say access: "read-only"`]
    : []
}

function joinMistakes(
  { link, writes }: Extract<Field, { is: 'relationship' }>,
  place: string,
  catalog: Catalog,
): string[] {
  if (link.key !== 'between') return []
  const table = tableIn(catalog, link.table)
  if (table === undefined) return [noTable(`${place}.through.table`, link.table, catalog)]
  const mistakes = (['from', 'to'] as const).flatMap((side) =>
    columnMistakes({ place: `${place}.through.${side}`, column: link[side] }, table),
  )
  if (mistakes.length > 0 || !writes) return mistakes
  const empty = [...table.columns.values()].filter(
    ({ name, nullable, hasDefault, writable }) =>
      writable && !nullable && !hasDefault && name !== link.from && name !== link.to,
  )
  return empty.map(
    ({ name }) =>
      `${place}.through: a link cannot be added, since the column "${name}" of the table "${table.name}" has no default and must not be null; say access: "read-only"`,
  )
}
