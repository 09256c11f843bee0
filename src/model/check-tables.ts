import { listing } from '../errors/suggestion.ts'
import { type Catalog, isUnique, type StoredTable, tableIn } from './catalog.ts'
import { refuseMistakes } from './check.ts'
import { columnMistakes, columnsIn, type Mention } from './check-columns.ts'
import { type Ground, noTable, relationshipMistakes } from './check-links.ts'
import { rowMistakes } from './check-rows.ts'
import type { Field, Model, ResourceType } from './model.ts'

/**
 * Checks a model against the tables it is to be served from.
 * @throws DeclarationError with a line per mistake, each with the path to the word that the tables do not bear out
 */
export function checkTables(model: Model, catalog: Catalog): void {
  refuseMistakes(
    [...model.types.values()].flatMap((resource) => resourceMistakes(resource, { model, catalog })),
  )
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
  return mistakes.length > 0 || !resource.writes ? mistakes : rowMistakes(resource, table)
}

function idMistakes(
  { type, id, ids, writes }: ResourceType,
  table: StoredTable,
  { dialect }: Catalog,
): string[] {
  const place = `${type}.id`
  const mention: Mention = { place, column: id.column, form: id.kind.form, notNull: true }
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
