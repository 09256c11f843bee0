import { type Catalog, findTable, type StoredTable } from '../model/catalog.ts'
import { formatColumn } from '../model/check-columns.ts'
import type { AttributeField, Model, ResourceType } from '../model/model.ts'

/**
 * Warns of fields that clients may set to null although the column is `not null`: the database finds only the first of several such
 * values, and the description of the API promises too much. A trigger may replace the null.
 */
export function listNullWarnings(model: Model, catalog: Catalog): string[] {
  return [...model.types.values()].flatMap((resource) => {
    const table = findTable(catalog, resource.table)
    if (!resource.isWritable || table?.is !== 'table' || table.triggers) return []
    return [...resource.fields.values()].flatMap((field) =>
      field.is === 'attribute' ? listAttributeWarnings(field, resource, table) : [],
    )
  })
}

function listAttributeWarnings(
  { name, column, isWritable, acceptsNull }: AttributeField,
  { type }: ResourceType,
  table: StoredTable,
): string[] {
  if (!isWritable || !acceptsNull || column === undefined) return []
  return table.columns.get(column)?.nullable === false
    ? [
        `${type}.fields.${name}: ${formatColumn(column, table)} must not be null, and clients may send null; to fix it: set nullable: false`,
      ]
    : []
}
