import { getRelationship, getResourceType, type Model, type ResourceType } from '../model/model.ts'
import { findColumnName } from './field-values.ts'
import { listStoredAttributes } from './stored-columns.ts'
import type { WritePlan } from './write.ts'
import type { WriteColumn } from './write-builder.ts'

/**
 * Reads the attributes of a type that are stored in the foreign key columns that a plan writes, e.g. `author_id` beside the
 * relationship `author`. Keys that reference another column than the id are not known before the write, and are omitted.
 *
 * @returns the values by the names of the attributes
 */
export function readKeyAttributes(
  { shape, values }: WritePlan,
  resource: ResourceType,
  model: Model,
): Record<string, unknown> {
  const entries = shape.columns.flatMap((column, index): [string, unknown][] => {
    if (!isIdReference(column, resource, model)) return []
    const name = findColumnName(column, resource, model)
    const id = values[index]
    return listStoredAttributes(resource).flatMap((field): [string, unknown][] => {
      if (field.column !== name) return []
      const result = id === null ? { value: null } : field.kind.readFilterText(String(id))
      return 'value' in result ? [[field.name, result.value]] : []
    })
  })
  return Object.fromEntries(entries)
}

/** Whether a written column is a foreign key that references the id of a resource. */
function isIdReference(column: WriteColumn, resource: ResourceType, model: Model): boolean {
  switch (column.is) {
    case 'attribute':
      return false
    case 'key': {
      const { link, to } = getRelationship(resource, column.relationship)
      return link.otherKey === getResourceType(model, to).id.column
    }
    case 'parent': {
      const parent = getResourceType(model, column.type)
      return getRelationship(parent, column.relationship).link.ownKey === parent.id.column
    }
  }
}
