import { type ErrorList, noErrors } from '../errors/collector.ts'
import type { RelationshipChange, ResourceChange, StoredResource } from '../model/hooks.ts'
import type { ResourceType } from '../model/model.ts'
import type { RequestContext } from '../model/request-context.ts'
import type { Planner } from '../plan/planner.ts'
import type { ReadPlan } from '../plan/read.ts'
import { extractAttributes, listStoredAttributes, planStoredRead } from '../plan/stored-columns.ts'
import { replaceValues, type WritePlan } from '../plan/write.ts'
import type { Step } from '../store/steps.ts'
import type { Transaction } from '../store/store.ts'
import { type Attributes, getAttributes, validateWrite } from './validate.ts'

/** What the steps of a write need beside the plan. */
export interface WriteContext {
  readonly planner: Planner
  readonly request: RequestContext
  /** A read of the written resource, to send together with the write unless a hook runs in between. */
  readonly pipelinedRead?: ReadPlan | undefined
}

/** What the steps before a write have found. */
interface ChangeState {
  /** Errors about related resources that do not exist. */
  missing: ErrorList
  /** The stored resource before an update; `undefined` for a create, and where nothing needs it. */
  stored: StoredResource | undefined
  /** The plan with the values that validators and hooks returned. */
  plan: WritePlan
}

/** The steps before a write, and their results. */
export interface PreparedChange {
  readonly steps: readonly Step[]
  readonly state: Readonly<ChangeState>
}

/** Lists the steps before a write: check the preconditions, read the stored resource, validate, run the hook. */
export function prepareChange(
  plan: WritePlan,
  transaction: Transaction,
  context: WriteContext,
  resource: ResourceType,
): PreparedChange {
  const isNew = plan.shape.row !== 'existing'
  const state: ChangeState = { missing: noErrors, stored: undefined, plan }
  const check = createCheckStep(state, transaction)
  const reads =
    isNew || !needsStored(plan, resource)
      ? [check]
      : [check, createStoredReadStep(state, transaction, context, resource)]
  const validate = createValidateStep(state, context, resource, reads)
  const hasHook = isNew ? resource.hooks.beforeCreate : resource.hooks.beforeUpdate
  const hook = hasHook ? [createHookStep(state, transaction, context, resource, validate)] : []
  return { steps: [...reads, validate, ...hook], state }
}

function createCheckStep(state: ChangeState, transaction: Transaction): Step {
  const run = async () => {
    state.missing = await transaction.checkPreconditions(state.plan)
  }
  return { needs: [], run }
}

function createStoredReadStep(
  state: ChangeState,
  transaction: Transaction,
  { planner }: WriteContext,
  resource: ResourceType,
): Step {
  const run = async () => {
    state.stored = await readStored(planner, transaction, resource, state.plan.id)
  }
  return { needs: [], run }
}

function createValidateStep(
  state: ChangeState,
  { planner }: WriteContext,
  resource: ResourceType,
  needs: readonly Step[],
): Step {
  const run = async () => {
    const { plan, missing, stored } = state
    state.plan = await validateWrite(planner, plan, missing, stored?.attributes, resource)
  }
  return { needs, run }
}

function createHookStep(
  state: ChangeState,
  transaction: Transaction,
  { planner, request }: WriteContext,
  resource: ResourceType,
  validate: Step,
): Step {
  const run = async () => {
    const { plan, stored } = state
    const values = await runBeforeHook(plan, stored, transaction, { request, resource })
    if (values) state.plan = replaceValues(planner, plan, values, resource)
  }
  return { needs: [validate], run }
}

/** @returns the attributes that the hook changes, if it changes any */
async function runBeforeHook(
  plan: WritePlan,
  stored: StoredResource | undefined,
  { query }: Transaction,
  { request, resource }: Readonly<{ request: RequestContext; resource: ResourceType }>,
): Promise<Attributes | undefined> {
  const { beforeCreate, beforeUpdate } = resource.hooks
  const { auth } = request
  const values = stored
    ? await beforeUpdate?.(stored, toChange(plan), { auth, query })
    : await beforeCreate?.(toChange(plan), { auth, query })
  return values ?? undefined
}

/** True if hooks, validators or immutable attributes need the stored attributes of an updated resource. */
export function needsStored(
  { shape }: WritePlan,
  { hooks, validate, fields }: ResourceType,
): boolean {
  if (hooks.beforeUpdate || hooks.afterUpdate || validate) return true
  return shape.columns.some((column) => {
    const field = column.is === 'attribute' ? fields.get(column.name) : undefined
    return field?.is === 'attribute' && field.isImmutable
  })
}

/** Reads the stored resource that hooks and validators receive. */
export async function readStored(
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
function toChange(plan: WritePlan): ResourceChange {
  return { attributes: getAttributes(plan), relationships: getMemberChanges(plan) }
}

/** Returns the changes that a plan makes to relationships, by name. */
function getMemberChanges({
  shape,
  values,
  linkIds,
}: WritePlan): Record<string, RelationshipChange> {
  const keys = shape.columns.flatMap((column, index): [string, RelationshipChange][] => {
    if (column.is !== 'key') return []
    const id = values[index]
    return [[column.relationship, { change: 'replace', ids: id === null ? [] : [String(id)] }]]
  })
  const links = shape.links.map(({ relationship, change }, index): [string, RelationshipChange] => [
    relationship,
    { change, ids: linkIds[index] ?? [] },
  ])
  return Object.fromEntries([...keys, ...links])
}
