import type { AttributeField, ResourceType } from '../model/model.ts'
import { toStoredValue } from './fields.ts'
import type { Planner } from './planner.ts'
import type { ReadPlan } from './read.ts'
import { findValueIndex, type Row, type RowLayout } from './row-layout.ts'

/** The attributes of a type that are stored in columns, readable or not. */
export function listStoredAttributes(resource: ResourceType): AttributeField[] {
  return [...resource.fields.values()].filter(
    (field) => field.is === 'attribute' && field.column !== undefined,
  ) as AttributeField[]
}

/** Plans a read of one resource with all its stored attributes, for hooks and validators. */
export function planStoredRead({ shapes }: Planner, resource: ResourceType): ReadPlan {
  const primary: RowLayout = {
    type: resource.type,
    attributes: [],
    relationships: [],
    values: listStoredAttributes(resource).map(toStoredValue),
    linkages: [],
  }
  return {
    shape: shapes.intern({
      type: resource.type,
      scope: { is: 'one' },
      where: undefined,
      order: [],
      isPaged: false,
      primary,
      included: [],
      includeEdges: [],
    }),
    values: [],
    textParameters: [],
    notFound: { type: resource.type, parameter: 'id' },
    page: undefined,
    hasIncluded: false,
    canonicalQuery: { full: '', withoutPageNumber: '' },
  }
}

/** The values of attributes in a row, by name; attributes that the layout does not contain are omitted. */
export function extractAttributes(
  row: Row,
  layout: RowLayout,
  fields: readonly AttributeField[],
): Record<string, unknown> {
  const entries = fields.flatMap((field): [string, unknown][] => {
    const index = findValueIndex(layout, toStoredValue(field))
    return index === -1 ? [] : [[field.name, row[index]]]
  })
  return Object.fromEntries(entries)
}
