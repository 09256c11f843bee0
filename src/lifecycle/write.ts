import { hasErrors } from '../errors/collector.ts'
import { NotFoundError } from '../errors/errors.ts'
import type { StoredResource } from '../model/hooks.ts'
import { getResourceType, type Model, type ResourceType } from '../model/model.ts'
import type { RequestContext } from '../model/request-context.ts'
import { applyFieldValues } from '../plan/field-values.ts'
import type { ReadPlan } from '../plan/read.ts'
import { type CompleteRows, pairWithLayouts } from '../plan/read-result.ts'
import { planIdentifier } from '../plan/stored-columns.ts'
import { planEmptyUpdate, type WritePlan } from '../plan/write.ts'
import { notStoredError, readWritten } from '../store/not-stored.ts'
import type { PreparedWrite, WriteOptions, Written } from '../store/store.ts'
import { needsStored, prepareChange } from './change-steps.ts'
import type { LifecycleContext } from './context.ts'
import { createResourceContext } from './hook-context.ts'
import {
  type ChangedMember,
  findHookedLinks,
  type HookedLink,
  runAfterMembers,
  runBeforeMembers,
} from './member-hooks.ts'
import { readStored } from './stored-resource.ts'
import { executeInTransaction } from './transaction.ts'
import { recordChange, type UnitOfWork, withoutRules } from './unit-of-work.ts'

/** The response to a write: a read of the written resource, serialized before the commit (docs/decisions/0017). */
interface WriteResponse<Result> {
  readonly plan: ReadPlan
  /** Runs in the transaction: when it throws, the transaction is rolled back. */
  readonly serialize: (rows: CompleteRows, id: string) => Result
  /** Serializes the identifier of a resource that the request may no longer read, or may not read at all. */
  readonly serializeIdentifier: (id: string) => Result
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
  context: LifecycleContext,
  request: RequestContext,
): Promise<Result> {
  return executeInTransaction(context, request, async (unit) => {
    const { transaction } = unit
    const readHooks = context.bindReadHooks(response.plan, request)
    const written = await write(plan, unit, readHooks ? undefined : response.plan)
    await readHooks?.before(transaction.query)
    const rows = written.rows ?? (await readVisible(response.plan, written.id, plan, unit))
    if (rows === undefined) return response.serializeIdentifier(written.id)
    if (!readHooks) return response.serialize(rows, written.id)
    for (const [batch, layout] of pairWithLayouts(rows, response.plan.shape))
      await readHooks.after(batch, layout, transaction.query)
    return response.serialize(rows, written.id)
  })
}

/**
 * Reads the response to a write.
 * @returns `undefined` when the request may not read the written resource
 * @throws BodyError `not_stored` (409) when it does not exist
 */
async function readVisible(
  readPlan: ReadPlan,
  id: string,
  { shape }: WritePlan,
  { planner, transaction }: UnitOfWork,
): Promise<CompleteRows | undefined> {
  try {
    return await transaction.read(readPlan, id)
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    if (transaction.identity === undefined) throw notStoredError(shape)
    const identifier = planIdentifier(planner, getResourceType(planner.model, shape.type))
    await readWritten(() => transaction.as(undefined).read(identifier, id), shape)
    return undefined
  }
}

/** Executes a write to a relationship's own URL, whose response shows no resource. It throws as `executeWrite` does. */
export async function executeRelationshipWrite(
  plan: WritePlan,
  context: LifecycleContext,
  request: RequestContext,
): Promise<void> {
  await executeInTransaction(context, request, (unit) => write(plan, unit))
}

/**
 * Runs the steps of a create or an update: those that prepare the change, those that write it, then the last hook.
 * @param pipelinedRead - a read of the written resource, sent together with the write unless a hook runs in between
 */
async function write(
  plan: WritePlan,
  unit: UnitOfWork,
  pipelinedRead?: ReadPlan,
): Promise<Written> {
  const { planner, transaction } = unit
  const resource = getResourceType(planner.model, plan.shape.type)
  const readPlan = hasAfterHook(plan, resource) ? undefined : pipelinedRead
  const { steps, state } = prepareChange(plan, unit, resource)
  let written: Written
  if (isPlanFinal(plan, resource, planner.model)) {
    const prepared = transaction.prepareWrite(plan, { readPlan })
    await transaction.run([...steps, ...prepared.steps])
    written = prepared.result()
  } else {
    await transaction.run(steps)
    written = await writeWithMembers(state.plan, unit, { readPlan })
  }
  await runAfterHook(written.id, state.stored, unit, resource)
  return written
}

/** Writes a plan whose own hooks have run. The hooks of members whose foreign key changes run around the change. */
export async function writeWithMembers(
  plan: WritePlan,
  unit: UnitOfWork,
  options: WriteOptions = {},
): Promise<Written> {
  const { planner, transaction } = unit
  const links = findHookedLinks(plan, planner.model)
  if (links.length > 0) return writeHookedLinks(plan, links, unit, options)
  const prepared = transaction.prepareWrite(plan, options)
  await transaction.run(prepared.steps)
  return prepared.result()
}

/** The hooks of members need the id of a new row, and see the response only after they have changed it. */
async function writeHookedLinks(
  plan: WritePlan,
  links: readonly HookedLink[],
  unit: UnitOfWork,
  { mayLeaveScope = false }: WriteOptions,
): Promise<Written> {
  const { planner, transaction } = unit
  const resource = getResourceType(planner.model, plan.shape.type)
  const prepared = transaction.prepareWrite(plan, { mayLeaveScope })
  const [writeRow, ...others] = prepared.steps
  await transaction.run([writeRow])
  const written = prepared.result()
  const members = await runBeforeMembers(links, { resource, id: written.id }, unit)
  await transaction.run(others, [writeRow])
  await writeMemberValues(members, unit)
  await runAfterMembers(members, unit)
  return written
}

/** Stores the values that the hooks of members returned, in one round trip unless they change other members. */
async function writeMemberValues(
  members: readonly ChangedMember[],
  unit: UnitOfWork,
): Promise<void> {
  const { planner } = unit
  const trusted = withoutRules(unit)
  const { transaction } = trusted
  const plans = members.flatMap(({ resource, stored, values }) =>
    values === undefined
      ? []
      : [
          applyFieldValues(
            planner,
            planEmptyUpdate(planner, resource, stored.id),
            values,
            resource,
          ),
        ],
  )
  const isHooked = (plan: WritePlan) => findHookedLinks(plan, planner.model).length > 0
  const prepared: PreparedWrite[] = plans
    .filter((plan) => !isHooked(plan))
    .map((plan) => transaction.prepareWrite(plan))
  await transaction.run(prepared.flatMap(({ steps }) => steps))
  for (const plan of plans.filter(isHooked)) await writeWithMembers(plan, trusted)
}

function hasAfterHook({ shape }: WritePlan, { hooks }: ResourceType): boolean {
  const after = shape.row === 'existing' ? hooks.afterUpdate : hooks.afterCreate
  return after !== undefined || hooks.afterCommit !== undefined
}

async function runAfterHook(
  id: string,
  before: StoredResource | undefined,
  unit: UnitOfWork,
  resource: ResourceType,
): Promise<void> {
  const { afterCreate, afterUpdate, afterCommit } = resource.hooks
  if (!afterCommit && !(before ? afterUpdate : afterCreate)) return
  const stored = await readStored(unit, resource, id)
  const context = createResourceContext(unit, resource, id)
  if (before) await afterUpdate?.(stored, before, context)
  else await afterCreate?.(stored, context)
  recordChange(
    unit,
    resource,
    before
      ? { operation: 'update', resource: stored, before }
      : { operation: 'create', resource: stored },
  )
}

/**
 * True if nothing has to be read or run between the checks and the write: no hook and no validator changes the plan, and no hook
 * needs the stored resource as it was before, as `afterUpdate` and `afterCommit` do. The write is then sent together with the
 * checks; if a check fails, the transaction is rolled back.
 */
function isPlanFinal(plan: WritePlan, resource: ResourceType, model: Model): boolean {
  const { shape, errors } = plan
  const { hooks, validate, fields } = resource
  if (hasErrors(errors) || validate) return false
  if (shape.row === 'existing' ? needsStored(plan, resource) : hooks.beforeCreate) return false
  if (findHookedLinks(plan, model).length > 0) return false
  return shape.columns.every((column) => {
    const field = column.is === 'attribute' ? fields.get(column.name) : undefined
    return field?.is !== 'attribute' || field.validate === undefined
  })
}
