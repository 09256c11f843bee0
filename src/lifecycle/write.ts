import { hasErrors } from '../errors/collector.ts'
import type { Change, HookContext, MemberChange, StoredResource } from '../model/hooks.ts'
import { getResourceType, type ResourceType } from '../model/model.ts'
import type { Planner } from '../plan/planner.ts'
import type { ReadPlan } from '../plan/read.ts'
import { type CompleteRows, pairWithLayouts } from '../plan/read-result.ts'
import { extractAttributes, listStoredAttributes, planStoredRead } from '../plan/stored-columns.ts'
import { replaceValues, type WritePlan } from '../plan/write.ts'
import type { Transaction, Written } from '../store/store.ts'
import type { LifecycleContext } from './context.ts'
import { type Attributes, getAttributes, validateWrite } from './validate.ts'

/** The response to a write: a read of the written resource, serialized before the commit (docs/decisions/0017). */
interface WriteResponse<Result> {
  readonly plan: ReadPlan
  /** Runs in the transaction: when it throws, the transaction is rolled back. */
  readonly serialize: (rows: CompleteRows, id: string) => Result
}

/**
 * Executes a create or an update in one transaction: checks the preconditions, runs the validators, the hooks and the
 * write, reads the written resource and serializes the response.
 *
 * @param auth - the auth context of the request
 * @returns the serialized response
 * @throws NotFoundError for the resource in the path; ApiError | ManyErrors for all errors of the document
 */
export function executeWrite<Result>(
  plan: WritePlan,
  response: WriteResponse<Result>,
  { planner, store, bindReadHooks }: LifecycleContext,
  auth: unknown,
): Promise<Result> {
  return store.transaction(async (transaction) => {
    const readHooks = bindReadHooks(response.plan, auth)
    const pipelinedRead = readHooks ? undefined : response.plan
    const written = await write(plan, transaction, { planner, auth, pipelinedRead })
    await readHooks?.before(transaction.query)
    const rows = written.rows ?? (await transaction.read(response.plan, written.id))
    if (!readHooks) return response.serialize(rows, written.id)
    for (const [batch, layout] of pairWithLayouts(rows, response.plan.shape))
      await readHooks.after(batch, layout, transaction.query)
    return response.serialize(rows, written.id)
  })
}

/** Executes a write to a relationship's own URL, whose response shows no resource. It throws as `executeWrite` does. */
export async function executeRelationshipWrite(
  plan: WritePlan,
  { planner, store }: LifecycleContext,
  auth: unknown,
): Promise<void> {
  await store.transaction((transaction) => write(plan, transaction, { planner, auth }))
}

/** Deletes a resource. @throws NotFoundError when it does not exist; ApiError when a constraint or a hook rejects it */
export async function executeDelete(
  plan: WritePlan,
  { planner, store }: LifecycleContext,
  auth: unknown,
): Promise<void> {
  const resource = getResourceType(planner.model, plan.shape.type)
  const { beforeDelete, afterDelete } = resource.hooks
  await store.transaction(async (transaction) => {
    const isHooked = beforeDelete !== undefined || afterDelete !== undefined
    const stored = isHooked ? await readStored(planner, transaction, resource, plan.id) : undefined
    const context: HookContext = { auth, query: transaction.query }
    if (stored) await beforeDelete?.(stored, context)
    await transaction.remove(plan)
    if (stored) await afterDelete?.(stored, context)
  })
}

interface WriteContext {
  readonly planner: Planner
  readonly auth: unknown
  /** A read of the written resource, to send together with the write unless a hook runs in between. */
  readonly pipelinedRead?: ReadPlan | undefined
}

async function write(
  plan: WritePlan,
  transaction: Transaction,
  { planner, auth, pipelinedRead }: WriteContext,
): Promise<Written> {
  const resource = getResourceType(planner.model, plan.shape.type)
  const isNew = plan.shape.row !== 'existing'
  const { beforeCreate, afterCreate, beforeUpdate, afterUpdate } = resource.hooks
  const after = isNew ? afterCreate : afterUpdate
  const runWrite = (valid: WritePlan) => transaction.write(valid, after ? undefined : pipelinedRead)
  const checked = transaction.examine(plan)
  // A write without hooks and validators is sent together with the checks. If a check fails, the transaction is rolled back.
  const pipelined =
    transaction.isTogether && canPipeline(plan, resource) ? runWrite(plan) : undefined
  if (pipelined) await Promise.allSettled([checked, pipelined])
  const missing = await checked
  const stored =
    !isNew && needsStored(plan, resource)
      ? await readStored(planner, transaction, resource, plan.id)
      : undefined
  const valid = await validateWrite(planner, plan, missing, stored?.attributes, resource)
  const context: HookContext = { auth, query: transaction.query }
  const hookValues = isNew
    ? beforeCreate && (await beforeCreate(toChange(valid), context))
    : stored && (await beforeUpdate?.(stored, toChange(valid), context))
  const final = hookValues ? replaceValues(planner, valid, hookValues, resource) : valid
  const written = await (pipelined ?? runWrite(final))
  const result = after && (await readStored(planner, transaction, resource, written.id))
  if (result && isNew) await afterCreate?.(result, context)
  if (result && stored) await afterUpdate?.(result, stored, context)
  return written
}

/** True if no validator and no hook runs between the precondition checks and the write. */
function canPipeline(plan: WritePlan, resource: ResourceType): boolean {
  const { shape, errors } = plan
  const { hooks, validate, fields } = resource
  if (hasErrors(errors) || validate) return false
  if (shape.row === 'existing' ? needsStored(plan, resource) : hooks.beforeCreate) return false
  return shape.columns.every((column) => {
    const field = column.is === 'attribute' ? fields.get(column.name) : undefined
    return field?.is !== 'attribute' || field.validate === undefined
  })
}

/** True if hooks, validators or immutable attributes need the stored attributes of an updated resource. */
function needsStored({ shape }: WritePlan, { hooks, validate, fields }: ResourceType): boolean {
  if (hooks.beforeUpdate || hooks.afterUpdate || validate) return true
  return shape.columns.some((column) => {
    const field = column.is === 'attribute' ? fields.get(column.name) : undefined
    return field?.is === 'attribute' && field.isImmutable
  })
}

async function readStored(
  planner: Planner,
  transaction: Transaction,
  resource: ResourceType,
  id: string | undefined,
): Promise<StoredResource> {
  const plan = planStoredRead(planner, resource)
  const { primary } = await transaction.read(plan, id)
  const [row = []] = primary
  const attributes: Attributes = extractAttributes(
    row,
    plan.shape.primary,
    listStoredAttributes(resource),
  )
  return { id: String(row[0]), attributes }
}

/** Returns the change that a plan makes, as hooks receive it. */
function toChange(plan: WritePlan): Change {
  return { attributes: getAttributes(plan), relationships: getMemberChanges(plan) }
}

/** Returns the changes that a plan makes to relationships, by name. */
function getMemberChanges({ shape, values, linkIds }: WritePlan): Record<string, MemberChange> {
  const keys = shape.columns.flatMap((column, index): [string, MemberChange][] => {
    if (column.is !== 'key') return []
    const id = values[index]
    return [[column.relationship, { change: 'replace', ids: id === null ? [] : [String(id)] }]]
  })
  const links = shape.links.map(({ relationship, change }, index): [string, MemberChange] => [
    relationship,
    { change, ids: linkIds[index] ?? [] },
  ])
  return Object.fromEntries([...keys, ...links])
}
