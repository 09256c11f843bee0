import { listNames } from '../errors/suggestion.ts'
import { type Catalog, findTable, isUnique, type StoredTable } from './catalog.ts'
import { type ColumnReference, findColumnErrors, listColumns } from './check-columns.ts'
import { throwDeclarationErrors } from './check-declarations.ts'
import {
  type CheckContext,
  describeMissingTable,
  findRelationshipErrors,
} from './check-relationships.ts'
import { findWriteErrors } from './check-writes.ts'
import type { Field, Model, ResourceType } from './model.ts'

/**
 * Checks a model against the tables it is to be served from.
 * @throws DeclarationError with a line per mistake, each with the path to the word that the tables do not bear out
 */
export function checkTables(model: Model, catalog: Catalog): void {
  throwDeclarationErrors(
    [...model.types.values()].flatMap((resource) => resourceMistakes(resource, { model, catalog })),
  )
}

function resourceMistakes(resource: ResourceType, ground: CheckContext): string[] {
  const { type, table: named } = resource
  const table = findTable(ground.catalog, named)
  if (table === undefined) return [describeMissingTable(`${type}.table`, named, ground.catalog)]
  const mistakes = [
    ...idMistakes(resource, table, ground.catalog),
    ...expressionMistakes(resource, table),
    ...[...resource.fields.values()].flatMap((field) =>
      fieldMistakes(field, resource, table, ground),
    ),
  ]
  // What writes would meet is told once all that is read is there.
  return mistakes.length > 0 || !resource.isWritable ? mistakes : findWriteErrors(resource, table)
}

function idMistakes(
  { type, id, ids, isWritable }: ResourceType,
  table: StoredTable,
  { dialect }: Catalog,
): string[] {
  const place = `${type}.id`
  const mention: ColumnReference = {
    location: place,
    column: id.column,
    codec: id.kind.codec,
    notNull: true,
  }
  const mistakes = findColumnErrors(mention, table, dialect)
  if (mistakes.length > 0 || table.is === 'view') return mistakes
  const what = `the column "${id.column}" of the table "${table.name}"`
  if (!isUnique(table, id.column)) return [`${place}: ${what} is not unique; ${keysOf(table)}`]
  const isGiven = ids.client === 'required' || ids.by === 'server' || !isWritable
  if (isGiven || table.columns.get(id.column)?.hasDefault) return []
  return [`${place}: ${what} has no default, so new rows would have no id; say client: "required"`]
}

function keysOf({ uniques }: StoredTable): string {
  const single = uniques.flatMap((columns) => (columns.length === 1 ? columns : []))
  return listNames(single, 'unique columns')
}

function expressionMistakes(resource: ResourceType, table: StoredTable): string[] {
  const { type, scope, insertDefaults } = resource
  const columns: ColumnReference[] = [
    ...(scope ? listColumns(scope, `${type}.scope`) : []),
    ...insertDefaults.map(([column]) => ({ location: `${type}.insertDefaults.${column}`, column })),
  ]
  return columns.flatMap((mention) => findColumnErrors(mention, table))
}

function fieldMistakes(
  field: Field,
  resource: ResourceType,
  table: StoredTable,
  ground: CheckContext,
): string[] {
  const place = `${resource.type}.fields.${field.name}`
  const { dialect } = ground.catalog
  switch (field.is) {
    case 'attribute': {
      if (field.column === undefined)
        return listColumns(field.expression, place).flatMap((each) => findColumnErrors(each, table))
      const mention = { location: `${place}.column`, column: field.column, codec: field.kind.codec }
      return findColumnErrors(mention, table, dialect)
    }
    case 'computed':
      return field.columns.flatMap(([column, { kind, nullable }]) =>
        findColumnErrors(
          { location: `${place}.columns.${column}`, column, codec: kind.codec, notNull: !nullable },
          table,
          dialect,
        ),
      )
    case 'relationship':
      return findRelationshipErrors(field, resource, table, ground)
  }
}
