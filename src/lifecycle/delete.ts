import type { StoredResource } from '../model/declare/hooks.ts'
import type { RequestContext } from '../model/declare/request-context.ts'
import { getResourceType, type ResourceType } from '../model/model.ts'
import { applyFieldValues } from '../plan/field-values.ts'
import type { WritePlan } from '../plan/write.ts'
import type { LifecycleContext } from './context.ts'
import { createHookContext, createResourceContext } from './hook-context.ts'
import { readStored } from './stored-resource.ts'
import { executeInTransaction } from './transaction.ts'
import { recordChange, type UnitOfWork, withoutRules } from './unit-of-work.ts'
import { writeWithMembers } from './write.ts'

/**
 * Deletes a resource.
 * @returns `kept` if a trigger of the database replaced the deletion, and the resource still exists
 * @throws NotFoundError when it does not exist; ApiError when a constraint or a hook rejects it
 */
export async function executeDelete(
  plan: WritePlan,
  context: LifecycleContext,
  request: RequestContext,
): Promise<'deleted' | 'kept'> {
  return executeInTransaction(context, request, async (unit) => {
    const resource = getResourceType(unit.planner.model, plan.shape.type)
    const { beforeDelete, afterDelete, afterCommit } = resource.hooks
    if (!beforeDelete && !afterDelete && !afterCommit)
      return unit.transaction.remove(plan, unit.mayCommit)
    return removeWithHooks(plan, unit, resource)
  })
}

/**
 * Deletes a resource and runs its hooks. What `beforeDelete` returns is stored instead, or, with soft deletion, in addition: a hook
 * that records the user must not turn a deletion into no deletion.
 */
async function removeWithHooks(
  plan: WritePlan,
  unit: UnitOfWork,
  resource: ResourceType,
): Promise<'deleted' | 'kept'> {
  const { planner, request, transaction } = unit
  const { beforeDelete, afterDelete } = resource.hooks
  const stored = await lockStored(plan, unit, resource)
  const values = await beforeDelete?.(stored, createResourceContext(unit, resource, stored.id))
  const isRemoved = !values || resource.softDelete !== undefined
  // The hook may have changed the row since the condition was checked.
  const { condition: _, ...unconditional } = plan
  const result = isRemoved ? await transaction.remove(unconditional) : 'deleted'
  if (values) {
    const update = applyFieldValues(planner, plan, values, resource)
    await writeWithMembers(update, withoutRules(unit), { mayLeaveScope: true })
  }
  await afterDelete?.(stored, createHookContext(request, transaction.query, resource))
  recordChange(unit, resource, { operation: 'delete', before: stored })
  return result
}

/** Locks and reads a resource. @throws NotFoundError when it does not exist */
async function lockStored(
  plan: WritePlan,
  unit: UnitOfWork,
  resource: ResourceType,
): Promise<StoredResource> {
  const [, stored] = await Promise.all([
    unit.transaction.checkPreconditions(plan),
    readStored(unit, resource, plan.id),
  ])
  return stored
}
