import { hasErrors } from '../errors/collector.ts'
import type { HookContext, StoredResource } from '../model/hooks.ts'
import { getResourceType, type ResourceType } from '../model/model.ts'
import type { RequestContext } from '../model/request-context.ts'
import type { ReadPlan } from '../plan/read.ts'
import { type CompleteRows, pairWithLayouts } from '../plan/read-result.ts'
import type { WritePlan } from '../plan/write.ts'
import type { Transaction, Written } from '../store/store.ts'
import { needsStored, prepareChange, readStored, type WriteContext } from './change-steps.ts'
import type { LifecycleContext } from './context.ts'

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
 * @returns the serialized response
 * @throws NotFoundError for the resource in the path; ApiError | ManyErrors for all errors of the document
 */
export function executeWrite<Result>(
  plan: WritePlan,
  response: WriteResponse<Result>,
  { planner, store, bindReadHooks }: LifecycleContext,
  request: RequestContext,
): Promise<Result> {
  return store.transaction(async (transaction) => {
    const readHooks = bindReadHooks(response.plan, request)
    const pipelinedRead = readHooks ? undefined : response.plan
    const written = await write(plan, transaction, { planner, request, pipelinedRead })
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
  request: RequestContext,
): Promise<void> {
  await store.transaction((transaction) => write(plan, transaction, { planner, request }))
}

/** Deletes a resource. @throws NotFoundError when it does not exist; ApiError when a constraint or a hook rejects it */
export async function executeDelete(
  plan: WritePlan,
  { planner, store }: LifecycleContext,
  request: RequestContext,
): Promise<void> {
  const resource = getResourceType(planner.model, plan.shape.type)
  const { beforeDelete, afterDelete } = resource.hooks
  await store.transaction(async (transaction) => {
    const isHooked = beforeDelete !== undefined || afterDelete !== undefined
    const stored = isHooked ? await readStored(planner, transaction, resource, plan.id) : undefined
    const context: HookContext = { auth: request.auth, query: transaction.query }
    if (stored) await beforeDelete?.(stored, context)
    await transaction.remove(plan)
    if (stored) await afterDelete?.(stored, context)
  })
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
  const prepare = () => transaction.prepareWrite(change.state.plan, readPlan)
  const canPipeline = isPlanFinal(plan, resource)
  const pipelined = canPipeline ? prepare() : undefined
  await transaction.run([...change.steps, ...(pipelined?.steps ?? [])])
  const prepared = pipelined ?? prepare()
  if (!pipelined) await transaction.run(prepared.steps)
  const written = prepared.result()
  if (isHooked)
    await runAfterHook(
      written.id,
      transaction,
      { ...context, stored: change.state.stored },
      resource,
    )
  return written
}

async function runAfterHook(
  id: string,
  transaction: Transaction,
  {
    planner,
    request,
    stored,
  }: Pick<WriteContext, 'planner' | 'request'> & Readonly<{ stored: StoredResource | undefined }>,
  resource: ResourceType,
): Promise<void> {
  const { afterCreate, afterUpdate } = resource.hooks
  const context: HookContext = { auth: request.auth, query: transaction.query }
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
