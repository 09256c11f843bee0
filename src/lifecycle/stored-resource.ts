import type { RelationshipChange, ResourceChange, StoredResource } from '../model/declare/hooks.ts'
import { getRelationship, type ResourceType } from '../model/model.ts'
import type { Row, RowLayout } from '../plan/row-layout.ts'
import {
  extractAttributes,
  extractToOneIds,
  listStoredAttributes,
  planStoredRead,
} from '../plan/stored-columns.ts'
import type { WritePlan } from '../plan/write.ts'
import type { LinkChange } from '../plan/write-builder.ts'
import type { UnitOfWork } from './unit-of-work.ts'
import { getAttributes, isEqual } from './validate.ts'

/** Reads the stored resource that hooks and validators receive, whoever may read it. @throws NotFoundError when it does not exist */
export async function readStored(
  { planner, transaction }: UnitOfWork,
  resource: ResourceType,
  id: string | undefined,
): Promise<StoredResource> {
  const plan = planStoredRead(planner, resource)
  const { primary } = await transaction.as(undefined).read(plan, id)
  const [row = []] = primary
  return toStoredResource(row, plan.shape.primary, resource)
}

/** Converts a row to a stored resource. */
export function toStoredResource(
  row: Row,
  layout: RowLayout,
  resource: ResourceType,
): StoredResource {
  return {
    id: String(row[0]),
    attributes: extractAttributes(row, layout, listStoredAttributes(resource)),
    relationships: extractToOneIds(row, layout, resource),
  }
}

/** Whether an update has stored the same values again: no attribute and no to-one relationship differs. */
export function isUnchanged(
  resource: ResourceType,
  before: StoredResource,
  after: StoredResource,
): boolean {
  const ids = Object.entries(after.relationships)
  return (
    listStoredAttributes(resource).every((field) =>
      isEqual(field, after.attributes[field.name], before.attributes[field.name]),
    ) && ids.every(([name, id]) => id === before.relationships[name])
  )
}

/**
 * Returns the change that a plan makes, as hooks receive it.
 * @param stored - the resource before an update; `undefined` for a create
 */
export function toChange(
  plan: WritePlan,
  resource: ResourceType,
  stored?: StoredResource,
): ResourceChange {
  const { shape, values, linkIds } = plan
  const keys = shape.columns.flatMap((column, index): ChangeEntry[] => {
    if (column.is !== 'key') return []
    const id = values[index]
    return [[column.relationship, id === null ? null : String(id)]]
  })
  const links = shape.links.flatMap((link, index) =>
    toLinkEntries(link, linkIds[index] ?? [], resource, stored),
  )
  return {
    attributes: getAttributes(plan),
    relationships: Object.fromEntries([...keys, ...links]),
  }
}

/** The change of a relationship and its name. */
type ChangeEntry = readonly [name: string, change: string | null | RelationshipChange]

function toLinkEntries(
  { relationship, change }: LinkChange,
  ids: readonly string[],
  resource: ResourceType,
  stored: StoredResource | undefined,
): ChangeEntry[] {
  if (getRelationship(resource, relationship).many) return [[relationship, { change, ids }]]
  if (change !== 'remove') return [[relationship, ids[0] ?? null]]
  // A removal from a to-one relationship changes nothing if another resource is related.
  const current = stored?.relationships[relationship]
  return typeof current === 'string' && ids.includes(current) ? [[relationship, null]] : []
}
