import { getRelationship, getResourceType, type Model, type ResourceType } from '../model/model.ts'
import type { WriteColumn } from './write-builder.ts'

/** The names of the columns of the table that a column of a plan writes. */
export function listColumnNames(
  column: WriteColumn,
  resource: ResourceType,
  model: Model,
): readonly string[] {
  switch (column.is) {
    case 'attribute': {
      const field = resource.fields.get(column.name)
      return field?.is === 'attribute' && field.column !== undefined ? [field.column] : []
    }
    case 'key':
      return getRelationship(resource, column.relationship).link.ownKey
    case 'parent':
      return getRelationship(getResourceType(model, column.type), column.relationship).link.otherKey
  }
}
