import { type ErrorList, hasErrors, noErrors } from '../errors/collector.ts'
import type {
  HookContext,
  RelationshipChange,
  ResourceChange,
  StoredResource,
} from '../model/hooks.ts'
import { getResourceType, type ResourceType } from '../model/model.ts'
import type { Planner } from '../plan/planner.ts'
import type { ReadPlan } from '../plan/read.ts'
import { type CompleteRows, pairWithLayouts } from '../plan/read-result.ts'
import { extractAttributes, listStoredAttributes, planStoredRead } from '../plan/stored-columns.ts'
import { replaceValues, type WritePlan } from '../plan/write.ts'
import type { Step } from '../store/steps.ts'
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

/** Runs the steps of a create or an update: those that prepare the change, those that write it, then the last hook. */
async function write(
  plan: WritePlan,
  transaction: Transaction,
  context: WriteContext,
): Promise<Written> {
  const resource = getResourceType(context.planner.model, plan.shape.type)
  const { afterCreate, afterUpdate } = resource.hooks
  const isHooked = plan.shape.row === 'existing' ? afterUpdate : afterCreate
  const readPlan = isHooked ? undefined : context.pipelinedRead
  const change = prepareChange(plan, transaction, context, resource)
  const prepare = () => transaction.prepareWrite(change.plan(), readPlan)
  const canPipeline = isPlanFinal(plan, resource)
  const pipelined = canPipeline ? prepare() : undefined
  await transaction.run([...change.steps, ...(pipelined?.steps ?? [])])
  const prepared = pipelined ?? prepare()
  if (!pipelined) await transaction.run(prepared.steps)
  const written = prepared.result()
  if (isHooked)
    await runAfterHook(written.id, transaction, { ...context, stored: change.stored() }, resource)
  return written
}

/** The steps that come before a write, and their results. */
interface PreparedChange {
  readonly steps: readonly Step[]
  /** The plan with the values that validators and hooks returned; the first plan before the steps have run. */
  readonly plan: () => WritePlan
  /** The stored resource before an update; `undefined` for a create, and where nothing needs it. */
  readonly stored: () => StoredResource | undefined
}

/** Lists the steps that come before a write: check the preconditions, read the stored resource, validate, run the hook. */
function prepareChange(
  plan: WritePlan,
  transaction: Transaction,
  { planner, auth }: WriteContext,
  resource: ResourceType,
): PreparedChange {
  const isNew = plan.shape.row !== 'existing'
  let missing: ErrorList = noErrors
  let stored: StoredResource | undefined
  let changed = plan
  const check: Step = {
    needs: [],
    run: async () => {
      missing = await transaction.checkPreconditions(plan)
    },
  }
  const readBefore: Step = {
    needs: [],
    run: async () => {
      stored = await readStored(planner, transaction, resource, plan.id)
    },
  }
  const reads = isNew || !needsStored(plan, resource) ? [check] : [check, readBefore]
  const validate: Step = {
    needs: reads,
    run: async () => {
      changed = await validateWrite(planner, plan, missing, stored?.attributes, resource)
    },
  }
  const runHook: Step = {
    needs: [validate],
    run: async () => {
      const values = await runBeforeHook(changed, stored, transaction, { auth, resource })
      if (values) changed = replaceValues(planner, changed, values, resource)
    },
  }
  const { beforeCreate, beforeUpdate } = resource.hooks
  const hasHook = isNew ? beforeCreate : beforeUpdate
  return {
    steps: [...reads, validate, ...(hasHook ? [runHook] : [])],
    plan: () => changed,
    stored: () => stored,
  }
}

/** @returns the attributes that the hook changes, if it changes any */
async function runBeforeHook(
  plan: WritePlan,
  stored: StoredResource | undefined,
  { query }: Transaction,
  { auth, resource }: Readonly<{ auth: unknown; resource: ResourceType }>,
): Promise<Attributes | undefined> {
  const { beforeCreate, beforeUpdate } = resource.hooks
  const values = stored
    ? await beforeUpdate?.(stored, toChange(plan), { auth, query })
    : await beforeCreate?.(toChange(plan), { auth, query })
  return values ?? undefined
}

async function runAfterHook(
  id: string,
  transaction: Transaction,
  {
    planner,
    auth,
    stored,
  }: Pick<WriteContext, 'planner' | 'auth'> & Readonly<{ stored: StoredResource | undefined }>,
  resource: ResourceType,
): Promise<void> {
  const { afterCreate, afterUpdate } = resource.hooks
  const context: HookContext = { auth, query: transaction.query }
  const result = await readStored(planner, transaction, resource, id)
  if (stored) await afterUpdate?.(result, stored, context)
  else await afterCreate?.(result, context)
}

/**
 * True if no validator and no hook changes the plan. The write is then sent together with the checks; if a check fails, the
 * transaction is rolled back.
 */
function isPlanFinal(plan: WritePlan, resource: ResourceType): boolean {
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
