import type { AttributeField, ResourceType } from '../model/model.ts'
import { storedValue } from './fields.ts'
import type { ReadPlan } from './read.ts'
import { type Row, type RowLayout, valueIndex } from './rows.ts'
import { intern } from './shape.ts'

/** The attributes of a type that are kept in columns, whoever may read them. */
export function storedAttributes(resource: ResourceType): AttributeField[] {
  return [...resource.fields.values()].filter(
    (field) => field.is === 'attribute' && field.column !== undefined,
  ) as AttributeField[]
}

/** Plans the reading of a resource as it is stored: every attribute that is kept in a column. */
export function planStored(resource: ResourceType): ReadPlan {
  const primary: RowLayout = {
    type: resource.type,
    attributes: [],
    relationships: [],
    values: storedAttributes(resource).map(storedValue),
    linkages: [],
  }
  return {
    shape: intern({
      type: resource.type,
      scope: { is: 'one' },
      where: undefined,
      order: [],
      isPaged: false,
      primary,
      included: [],
      steps: [],
    }),
    values: [],
    texts: [],
    absence: { type: resource.type, parameter: 'id' },
    page: undefined,
    hasIncluded: false,
    repeated: { all: '', unnumbered: '' },
  }
}

/** The attributes that a row holds, by name; those of a layout that are not kept in columns are left out. */
export function attributesIn(
  row: Row,
  layout: RowLayout,
  fields: readonly AttributeField[],
): Record<string, unknown> {
  const entries = fields.flatMap((field): [string, unknown][] => {
    const at = valueIndex(layout, storedValue(field))
    return at === -1 ? [] : [[field.name, row[at]]]
  })
  return Object.fromEntries(entries)
}
