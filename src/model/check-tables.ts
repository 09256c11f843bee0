import { listNames } from '../errors/suggestion.ts'
import { type Catalog, findTable, isUnique, type StoredTable } from './catalog.ts'
import {
  type ColumnReference,
  describeColumn,
  findColumnErrors,
  listColumns,
} from './check-columns.ts'
import {
  type CheckContext,
  describeMissingTable,
  findRelationshipErrors,
} from './check-relationships.ts'
import { findWriteErrors } from './check-writes.ts'
import { throwDeclarationErrors } from './declaration-error.ts'
import type { Field, Model, ResourceType } from './model.ts'

/**
 * Checks that the tables of a database match a model.
 * @throws DeclarationError with one line per error, each starting with the path to the wrong option
 */
export function checkTables(model: Model, catalog: Catalog): void {
  throwDeclarationErrors(
    [...model.types.values()].flatMap((resource) =>
      findResourceErrors(resource, { model, catalog }),
    ),
  )
}

function findResourceErrors(resource: ResourceType, context: CheckContext): string[] {
  const { catalog } = context
  const table = findTable(catalog, resource.table)
  if (table === undefined)
    return [describeMissingTable(`${resource.type}.table`, resource.table, catalog)]
  const errors = [
    ...findIdErrors(resource, table, catalog),
    ...findExpressionErrors(resource, table),
    ...[...resource.fields.values()].flatMap((field) =>
      findFieldErrors(field, resource, table, context),
    ),
  ]
  // Errors of writes are reported only if all columns that are read exist.
  return errors.length > 0 || !resource.isWritable ? errors : findWriteErrors(resource, table)
}

function findIdErrors(
  { type, id, ids, isWritable }: ResourceType,
  table: StoredTable,
  { dialect }: Catalog,
): string[] {
  const location = `${type}.id`
  const reference = { location, column: id.column, codec: id.kind.codec, notNull: true }
  const errors = findColumnErrors(reference, table, dialect)
  if (errors.length > 0 || table.is === 'view') return errors
  const name = describeColumn(id.column, table)
  if (!isUnique(table, id.column))
    return [`${location}: ${name} is not unique; ${listUniqueColumns(table)}`]
  const isProvided = ids.fromClient === 'required' || ids.generatedBy === 'server' || !isWritable
  if (isProvided || table.columns.get(id.column)?.hasDefault) return []
  return [
    `${location}: ${name} has no default, so new rows would have no id; set client: "required"`,
  ]
}

function listUniqueColumns({ uniques }: StoredTable): string {
  const columns = uniques.flatMap((unique) => (unique.length === 1 ? unique : []))
  return listNames(columns, 'unique columns')
}

function findExpressionErrors(resource: ResourceType, table: StoredTable): string[] {
  const { type, scope, insertDefaults } = resource
  const references: ColumnReference[] = [
    ...(scope ? listColumns(scope, `${type}.scope`) : []),
    ...insertDefaults.map(([column]) => ({ location: `${type}.insertDefaults.${column}`, column })),
  ]
  return references.flatMap((reference) => findColumnErrors(reference, table))
}

function findFieldErrors(
  field: Field,
  resource: ResourceType,
  table: StoredTable,
  context: CheckContext,
): string[] {
  const location = `${resource.type}.fields.${field.name}`
  const { dialect } = context.catalog
  switch (field.is) {
    case 'attribute': {
      const { column, expression, kind } = field
      if (column === undefined)
        return listColumns(expression, location).flatMap((each) => findColumnErrors(each, table))
      const reference = { location: `${location}.column`, column, codec: kind.codec }
      return findColumnErrors(reference, table, dialect)
    }
    case 'computed':
      return field.columns.flatMap(([column, { kind, nullable }]) => {
        const columnLocation = `${location}.columns.${column}`
        const reference = {
          location: columnLocation,
          column,
          codec: kind.codec,
          notNull: !nullable,
        }
        return findColumnErrors(reference, table, dialect)
      })
    case 'relationship':
      return findRelationshipErrors(field, resource, table, context)
  }
}
