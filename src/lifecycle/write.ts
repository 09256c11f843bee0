import { hasErrors } from '../errors/collector.ts'
import type { Change, HookContext, MemberChange, Stored } from '../model/hooks.ts'
import { type Model, type ResourceType, typeNamed } from '../model/model.ts'
import { type WritePlan, withValues } from '../plan/body.ts'
import type { ReadPlan } from '../plan/read.ts'
import { laidOut, type WholeRows } from '../plan/result.ts'
import { attributesIn, planStored, storedAttributes } from '../plan/stored-columns.ts'
import type { Store, Transaction, Written } from '../store/store.ts'
import { duringRead } from './read.ts'
import { type Attributes, attributesOf, checked } from './validate.ts'

/** Whose rules a write is held against, and who asks. */
export interface Scene {
  readonly model: Model
  readonly store: Store
  readonly caller: unknown
}

/** What is answered to a write: a read of what was written, told before the write is final. */
export interface WriteAnswer<Told> {
  readonly plan: ReadPlan
  /** Runs in the transaction: when it throws, nothing has been written. */
  readonly tell: (rows: WholeRows, id: string) => Told
}

/**
 * Carries out a create or an update and what is answered to it, all of it or nothing: looks for what the plan takes for
 * granted, holds it against the validators, runs the hooks around it, and tells the answer.
 *
 * @returns what the answer tells
 * @throws NotFoundError for the path's resource; ApiError | ManyErrors for everything that is wrong with the document
 */
export function carryOut<Told>(
  plan: WritePlan,
  answer: WriteAnswer<Told>,
  scene: Scene,
): Promise<Told> {
  return scene.store.transaction(async (transaction) => {
    const during = duringRead(answer.plan, scene)
    const alongside = during ? undefined : answer.plan
    const { id, rows: read } = await write(plan, transaction, { ...scene, alongside })
    await during?.before(transaction.query)
    const rows = read ?? (await transaction.read(answer.plan, id))
    if (!during) return answer.tell(rows, id)
    for (const [some, layout] of laidOut(rows, answer.plan.shape))
      await during.after(some, layout, transaction.query)
    return answer.tell(rows, id)
  })
}

/** Carries out a write to a relationship's own URL, to which nothing of it is answered; throws as `carryOut` does. */
export async function relate(plan: WritePlan, scene: Scene): Promise<void> {
  await scene.store.transaction((transaction) => write(plan, transaction, scene))
}

/** Deletes a resource. @throws NotFoundError when it is not there; ApiError when a constraint or a hook refuses */
export async function remove(plan: WritePlan, { model, store, caller }: Scene): Promise<void> {
  const resource = typeNamed(model, plan.shape.type)
  const { beforeDelete, afterDelete } = resource.hooks
  await store.transaction(async (transaction) => {
    const isHooked = beforeDelete !== undefined || afterDelete !== undefined
    const stored = isHooked ? await readStored(transaction, resource, plan.id) : undefined
    const context: HookContext = { caller, query: transaction.query }
    if (stored) await beforeDelete?.(stored, context)
    await transaction.remove(plan)
    if (stored) await afterDelete?.(stored, context)
  })
}

/** @param alongside - what may be read along with the write, unless a hook has its turn before */
async function write(
  plan: WritePlan,
  transaction: Transaction,
  { model, caller, alongside }: Scene & { readonly alongside?: ReadPlan | undefined },
): Promise<Written> {
  const resource = typeNamed(model, plan.shape.type)
  const isNew = plan.shape.row !== 'there'
  const { beforeCreate, afterCreate, beforeUpdate, afterUpdate } = resource.hooks
  const after = isNew ? afterCreate : afterUpdate
  const carried = (fit: WritePlan) => transaction.write(fit, after ? undefined : alongside)
  const examined = transaction.examine(plan)
  // Does not wait for what is found unless somebody has to know of it first; if it is refused, nothing stays.
  const straight = transaction.isTogether && isStraight(plan, resource) ? carried(plan) : undefined
  if (straight) await Promise.allSettled([examined, straight])
  const missing = await examined
  const before =
    !isNew && needsStored(plan, resource)
      ? await readStored(transaction, resource, plan.id)
      : undefined
  const fit = await checked(plan, missing, resource, before?.attributes)
  const context: HookContext = { caller, query: transaction.query }
  const more = isNew
    ? beforeCreate && (await beforeCreate(changeOf(fit), context))
    : before && (await beforeUpdate?.(before, changeOf(fit), context))
  const written = await (straight ?? carried(more ? withValues(fit, more, resource) : fit))
  const stored = after && (await readStored(transaction, resource, written.id))
  if (stored && isNew) await afterCreate?.(stored, context)
  if (stored && before) await afterUpdate?.(stored, before, context)
  return written
}

/** Whether nothing of a declaration stands between looking for what a plan takes for granted and writing. */
function isStraight(plan: WritePlan, resource: ResourceType): boolean {
  const { shape, faults } = plan
  const { hooks, validate, fields } = resource
  if (hasErrors(faults) || validate) return false
  if (shape.row === 'there' ? needsStored(plan, resource) : hooks.beforeCreate) return false
  return shape.columns.every((column) => {
    const field = column.is === 'attribute' ? fields.get(column.name) : undefined
    return field?.is !== 'attribute' || field.validate === undefined
  })
}

/** Whether an update must know what is stored. */
function needsStored({ shape }: WritePlan, { hooks, validate, fields }: ResourceType): boolean {
  if (hooks.beforeUpdate || hooks.afterUpdate || validate) return true
  return shape.columns.some((column) => {
    const field = column.is === 'attribute' ? fields.get(column.name) : undefined
    return field?.is === 'attribute' && field.isFixed
  })
}

async function readStored(
  transaction: Transaction,
  resource: ResourceType,
  id: string | undefined,
): Promise<Stored> {
  const plan = planStored(resource)
  const { primary } = await transaction.read(plan, id)
  const [row = []] = primary
  const attributes: Attributes = attributesIn(row, plan.shape.primary, storedAttributes(resource))
  return { id: String(row[0]), attributes }
}

/** What a plan does, as hooks are told of it. */
function changeOf(plan: WritePlan): Change {
  return { attributes: attributesOf(plan), relationships: membersOf(plan) }
}

/** What a plan does to relationships, by name. */
function membersOf({ shape, values, linkIds }: WritePlan): Record<string, MemberChange> {
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
