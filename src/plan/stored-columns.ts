import {
  type AttributeField,
  listRelationships,
  type RelationshipField,
  type ResourceType,
} from '../model/model.ts'
import { toStoredValue } from './fields.ts'
import type { Planner } from './planner.ts'
import type { ReadPlan } from './read.ts'
import {
  createIdentifierLayout,
  findLinkageIndex,
  findValueIndex,
  type Row,
  type RowLayout,
} from './row-layout.ts'

/** The attributes of a type that are stored in columns, readable or not. */
export function listStoredAttributes(resource: ResourceType): AttributeField[] {
  return [...resource.fields.values()].filter(
    (field) => field.is === 'attribute' && field.column !== undefined,
  ) as AttributeField[]
}

/** The to-one relationships of a type. */
function listToOnes(resource: ResourceType): RelationshipField[] {
  return listRelationships(resource).filter(({ many }) => !many)
}

/**
 * The layout of a resource with all its stored attributes and the ids of its to-one relationships: of all if the type has hooks, else
 * of the immutable ones.
 */
export function createStoredLayout(resource: ResourceType): RowLayout {
  const hasHooks = Object.keys(resource.hooks).length > 0
  return {
    type: resource.type,
    attributes: [],
    relationships: [],
    values: listStoredAttributes(resource).map(toStoredValue),
    linkages: listToOnes(resource)
      .filter(({ isImmutable }) => hasHooks || isImmutable)
      .map(({ name }) => ({ relationship: name, many: false })),
  }
}

/** Plans a read of one resource with all its stored attributes, for hooks and validators. */
export function planStoredRead(planner: Planner, resource: ResourceType): ReadPlan {
  return planOne(planner, createStoredLayout(resource))
}

/** Plans a read of the linkage of one relationship of one resource. The row is the id and the linkage. */
export function planRelatedIds(
  planner: Planner,
  { type }: ResourceType,
  { name, many }: RelationshipField,
): ReadPlan {
  const linkages = [{ relationship: name, many }]
  return planOne(planner, { ...createIdentifierLayout(type), linkages })
}

/** Plans the document of a resource of which only the identifier may be read. */
export function planIdentifier(planner: Planner, { type }: ResourceType): ReadPlan {
  return planOne(planner, createIdentifierLayout(type))
}

/** Plans a read of one row by its id. */
export function planOne({ shapes }: Planner, primary: RowLayout): ReadPlan {
  const { type } = primary
  return {
    shape: shapes.intern({
      type,
      addressed: { is: 'one' },
      where: undefined,
      order: [],
      isPaged: false,
      primary,
      included: [],
      includeEdges: [],
    }),
    values: [],
    textParameters: [],
    notFound: { type, parameter: 'id' },
    page: undefined,
    hasIncluded: false,
    canonicalQuery: { full: '', withoutPosition: '' },
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

/** The related ids of to-one relationships in a row, by name; relationships that the layout does not contain are omitted. */
export function extractToOneIds(
  row: Row,
  layout: RowLayout,
  resource: ResourceType,
): Record<string, string | null> {
  const entries = listToOnes(resource).flatMap(({ name }): [string, string | null][] => {
    const index = findLinkageIndex(layout, name)
    if (index === -1) return []
    const id = row[index]
    return [[name, id === null || id === undefined ? null : String(id)]]
  })
  return Object.fromEntries(entries)
}
