import {
  emptyCollector,
  noErrors,
  reportAll,
  throwErrors,
  toErrorList,
} from '../errors/collector.ts'
import type { FieldValues, ResourceChange, StoredResource } from '../model/declare/hooks.ts'
import {
  findInverse,
  getRelationship,
  getResourceType,
  type Model,
  type ResourceType,
} from '../model/model.ts'
import { applyFieldValues } from '../plan/field-values.ts'
import { type MembersShape, planMembers } from '../plan/members.ts'
import { planEmptyUpdate, type WritePlan } from '../plan/write.ts'
import type { LinkChange } from '../plan/write-builder.ts'
import type { MemberValues } from '../sql/store.ts'
import { createResourceContext } from './hook-context.ts'
import { isUnchanged, toStoredResource } from './stored-resource.ts'
import { recordChange, type UnitOfWork } from './unit-of-work.ts'
import { validateWrite } from './validate.ts'
import { isHookedLink } from './write-lifecycle.ts'

// A relationship may be written from the side that does not hold the foreign key, e.g. by `POST /users/2/relationships/comments`.
// The rows of the comments change then, so their hooks run as if the author of each comment were updated:
// otherwise a user could take a comment that a hook of comments protects.

/** A change of a relationship whose foreign key is in the rows of the members, and whose members have hooks. */
export interface HookedLink extends LinkChange {
  readonly ids: readonly string[]
  readonly member: ResourceType
}

/** A resource whose foreign key a write to another resource changes. */
export interface ChangedMember {
  readonly resource: ResourceType
  readonly stored: StoredResource
  readonly change: ResourceChange
  /** The values that the hook of the member stores. */
  values: FieldValues | undefined
}

/** Returns the changes of a plan that run the hooks of members; none for types without hooks. */
export function findHookedLinks({ shape, linkIds }: WritePlan, model: Model): HookedLink[] {
  if (shape.links.length === 0) return []
  const owner = getResourceType(model, shape.type)
  return shape.links.flatMap((change, index): HookedLink[] => {
    if (!isHookedLink(change, owner, model)) return []
    const { to } = getRelationship(owner, change.relationship)
    return [{ ...change, ids: linkIds[index] ?? [], member: getResourceType(model, to) }]
  })
}

/**
 * Reads the members whose foreign key changes, in one statement for each relationship, validates them, and runs
 * `beforeUpdate` of each.
 * @param owner - the resource whose relationships change
 * @throws what a hook throws; ApiError | ManyErrors for members that are not valid; HttpError `too_many_resources` (400)
 */
export async function runBeforeMembers(
  links: readonly HookedLink[],
  owner: Readonly<{ resource: ResourceType; id: string }>,
  unit: UnitOfWork,
): Promise<readonly ChangedMember[]> {
  const members = new Map<string, ChangedMember>()
  for (const link of links)
    for (const member of await readChangedMembers(link, owner, unit)) {
      const key = JSON.stringify([member.resource.type, member.stored.id])
      members.set(key, mergeChanges(members.get(key), member))
    }
  await validateMembers([...members.values()], unit)
  for (const member of members.values()) {
    const { resource, stored, change } = member
    const { beforeUpdate } = resource.hooks
    if (beforeUpdate === undefined) continue
    const context = createResourceContext(unit, resource, stored.id)
    member.values = (await beforeUpdate(stored, change, context)) ?? undefined
  }
  return [...members.values()]
}

/** @throws ApiError | ManyErrors with the errors of all members */
async function validateMembers(
  members: readonly ChangedMember[],
  { planner, transaction }: UnitOfWork,
): Promise<void> {
  const errors = emptyCollector()
  for (const { resource, stored, change } of members) {
    if (resource.validate === undefined) continue
    const update = planEmptyUpdate(planner, resource, stored.id)
    const plan = applyFieldValues(planner, update, change.relationships, resource)
    const before = { ...stored, related: {} }
    const hidden = transaction.identity?.rules.hiddenFields.get(resource.type)
    const options = { missing: noErrors, before, hidden }
    await validateWrite(planner, plan, resource, options).catch((error) => {
      const found = toErrorList(error)
      if (found === undefined) throw error
      reportAll(errors, found)
    })
  }
  throwErrors(errors)
}

/** Two relationships of a resource may have the same member. */
function mergeChanges(known: ChangedMember | undefined, member: ChangedMember): ChangedMember {
  if (known === undefined) return member
  const relationships = { ...known.change.relationships, ...member.change.relationships }
  return { ...known, change: { ...known.change, relationships } }
}

async function readChangedMembers(
  { relationship, change, ids, member }: HookedLink,
  { resource, id }: Readonly<{ resource: ResourceType; id: string }>,
  unit: UnitOfWork,
): Promise<ChangedMember[]> {
  const { model } = unit.planner
  const inverse = findInverse(model, resource, getRelationship(resource, relationship))
  const shape = planMembers(unit.planner, member, { type: resource.type, relationship, change })
  const listed = new Set(ids)
  const found = await readMembers(shape, { id, ids }, member, unit)
  return found.map((stored) => {
    const isLinked = change !== 'remove' && listed.has(stored.id)
    const relationships = inverse ? { [inverse.name]: isLinked ? id : null } : {}
    return {
      resource: member,
      stored,
      change: { attributes: {}, relationships },
      values: undefined,
    }
  })
}

async function readMembers(
  shape: MembersShape,
  values: MemberValues,
  resource: ResourceType,
  { transaction }: UnitOfWork,
): Promise<StoredResource[]> {
  // A change does not concern members that the request may not read.
  const reader = shape.changedBy ? transaction : transaction.as(undefined)
  const rows = await reader.readMembers(shape, values)
  return rows.map((row) => toStoredResource(row, shape.layout, resource))
}

/** Runs `afterUpdate` of each changed member, and records the changes for `afterCommit`. One statement for each type reads them. */
export async function runAfterMembers(
  members: readonly ChangedMember[],
  unit: UnitOfWork,
): Promise<void> {
  for (const [resource, changed] of Map.groupBy(members, (member) => member.resource)) {
    const { afterUpdate, afterCommit } = resource.hooks
    if (!afterUpdate && !afterCommit) continue
    const before = new Map(changed.map(({ stored }) => [stored.id, stored]))
    const shape = planMembers(unit.planner, resource)
    const updated = await readMembers(shape, { ids: [...before.keys()] }, resource, unit)
    for (const current of updated) {
      const stored = before.get(current.id)
      if (stored === undefined || isUnchanged(resource, stored, current)) continue
      await afterUpdate?.(current, stored, createResourceContext(unit, resource, current.id))
      recordChange(unit, resource, { operation: 'update', resource: current, before: stored })
    }
  }
}
