import { hasErrors, toError } from '../errors/collector.ts'
import { NotFoundError } from '../errors/errors.ts'
import type { Awaitable, StoredResource } from '../model/declare/hooks.ts'
import type { RequestContext } from '../model/declare/request-context.ts'
import { getResourceType, type ResourceType } from '../model/model.ts'
import { applyFieldValues } from '../plan/field-values.ts'
import type { ReadPlan } from '../plan/read.ts'
import { type CompleteRows, createIdentifierRows } from '../plan/read-result.ts'
import { planIdentifier } from '../plan/stored-columns.ts'
import { planEmptyUpdate, type WritePlan } from '../plan/write.ts'
import { notStoredError, toNotStoredError } from '../sql/errors.ts'
import { runAfterHooks } from '../sql/read/run-after-hooks.ts'
import type {
  PreparedWrite,
  ReadHooks,
  Transaction,
  WriteOptions,
  WriteTransactionOptions,
  Written,
} from '../sql/store.ts'
import { thenMaybe } from '../sql/then-maybe.ts'
import { prepareChange } from './change-steps.ts'
import type { LifecycleContext } from './context.ts'
import { createResourceContext } from './hook-context.ts'
import {
  type ChangedMember,
  findHookedLinks,
  type HookedLink,
  runAfterMembers,
  runBeforeMembers,
} from './member-hooks.ts'
import { isUnchanged, readStored } from './stored-resource.ts'
import { executeInTransaction } from './transaction.ts'
import { recordChange, type UnitOfWork, withoutRules } from './unit-of-work.ts'
import type { WriteLifecycle } from './write-lifecycle.ts'

/** The response to a write: a read of the written resource, serialized before the commit (docs/decisions/0017). */
export interface WriteResponse<Result> {
  readonly plan: ReadPlan
  /**
   * Serializes the rows of a plan: that of the response, or that of an identifier for a resource that the request may not read. It
   * runs in the transaction: when it throws, the transaction is rolled back.
   */
  readonly serialize: (plan: ReadPlan, rows: CompleteRows, id: string) => Result
  /**
   * Whether the id is one that an action returned, which may come from the client. A request with rules that may not read the resource
   * gets its identifier then, whether it exists or not: anything else would show which hidden rows exist.
   */
  readonly isReturned?: boolean
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
  const lifecycle = context.getWriteLifecycle(plan.shape)
  const { resource } = lifecycle
  const readHooks = context.bindReadHooks?.(response.plan, request)
  const readPlan = readHooks ? undefined : response.plan
  const responseNeverThrows = readPlan !== undefined && context.neverThrows(readPlan.shape)
  const work = (unit: UnitOfWork) => {
    const written = writeInStages(plan, unit, lifecycle, {
      readPlan,
      mayCommit: responseNeverThrows,
    })
    return thenMaybe(written, ({ id, rows, isCommitted, failure }) => {
      if (!rows && !isCommitted) return readResponse(response, id, unit, { resource, readHooks })
      try {
        if (rows) return response.serialize(response.plan, rows, id)
        throw failure
      } catch (error) {
        if (!responseNeverThrows) throw error
        return respondWithId(response, id, unit, { resource, error })
      }
    })
  }
  return executeInTransaction(context, request, work, getWriteOptions(plan))
}

/** Responds to a write that may be committed already, though its response cannot be written: that must not look like a failure. */
export function respondWithId<Result>(
  { serialize }: WriteResponse<Result>,
  id: string,
  { planner, request }: UnitOfWork,
  { resource, error }: Readonly<{ resource: ResourceType; error: unknown }>,
): Result {
  request.log.error({ err: toError(error), type: resource.type, id }, unreadableMessage)
  return serialize(planIdentifier(planner, resource), createIdentifierRows(id), id)
}

const unreadableMessage = 'a resource was stored, and the response has only its id'

/** Executes a write to a relationship's own URL, whose response shows no resource. It throws as `executeWrite` does. */
export async function executeRelationshipWrite(
  plan: WritePlan,
  context: LifecycleContext,
  request: RequestContext,
): Promise<void> {
  const lifecycle = context.getWriteLifecycle(plan.shape)
  const options = getWriteOptions(plan)
  await executeInTransaction(
    context,
    request,
    (unit) => writeInStages(plan, unit, lifecycle, { mayCommit: true }),
    options,
  )
}

/** The number of members in the document of a write from which it is large. */
const manyMembers = 1000
/** The options of a large write. */
const large: WriteTransactionOptions = { isLarge: true }

/** Returns the options of the transaction of a create, an update or a change of a relationship. */
export function getWriteOptions({ linkIds }: WritePlan): WriteTransactionOptions | undefined {
  return linkIds.some(isMany) ? large : undefined
}

/** Whether a document has so many members of a relationship that its write is large. */
function isMany(members: readonly string[]): boolean {
  return members.length >= manyMembers
}

/** Reads the response to a write or an action that has not read it, runs the read hooks, and serializes it. */
export async function readResponse<Result>(
  response: WriteResponse<Result>,
  id: string,
  unit: UnitOfWork,
  { resource, readHooks }: Readonly<{ resource: ResourceType; readHooks: ReadHooks | undefined }>,
): Promise<Result> {
  const { query } = unit.transaction
  const { plan, serialize } = response
  await readHooks?.before(query)
  const rows = await readVisible(response, id, unit, resource)
  if (rows === undefined)
    return serialize(planIdentifier(unit.planner, resource), createIdentifierRows(id), id)
  if (readHooks) await runAfterHooks(readHooks, rows, plan, query)
  return serialize(plan, rows, id)
}

/**
 * Reads the response to a write.
 * @returns `undefined` when the request may not read the written resource
 * @throws BodyError `not_stored` (409) when it does not exist
 */
async function readVisible(
  { plan, isReturned }: Pick<WriteResponse<unknown>, 'plan' | 'isReturned'>,
  id: string,
  { planner, transaction }: UnitOfWork,
  resource: ResourceType,
): Promise<CompleteRows | undefined> {
  try {
    return await transaction.read(plan, id)
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    if (transaction.identity === undefined) throw notStoredError(resource)
    if (isReturned) return undefined
    await checkStored(id, transaction, planIdentifier(planner, resource), resource)
    return undefined
  }
}

/** Checks that a written resource exists, whoever may read it. @throws BodyError `not_stored` (409) */
async function checkStored(
  id: string,
  transaction: Transaction,
  identifier: ReadPlan,
  resource: ResourceType,
): Promise<void> {
  try {
    await transaction.as(undefined).read(identifier, id)
  } catch (error) {
    throw toNotStoredError(error, resource)
  }
}

/**
 * Executes a create or an update with its validators and hooks: prepares the change, which they may change further, writes it, and
 * runs the last hook.
 * @param options - the read of the written resource is sent together with the write, and the write is the last of the transaction, unless
 *   a hook runs in between
 */
function writeInStages(
  plan: WritePlan,
  unit: UnitOfWork,
  lifecycle: WriteLifecycle,
  options: WriteOptions,
): Awaitable<Written> {
  const { resource, writesDirectly, hasAfterHook } = lifecycle
  const readPlan = hasAfterHook ? undefined : options.readPlan
  if (!writesDirectly || hasErrors(plan.errors))
    return writeChanged(plan, unit, lifecycle, readPlan)
  const mayCommit = options.mayCommit === true && unit.mayCommit === true && !hasAfterHook
  const writing = unit.transaction.write(plan, { readPlan, mayCommit })
  if (!hasAfterHook) return writing
  // A hook after an update needs what was stored, so this is a create.
  return thenMaybe(writing, async (written) => {
    await runAfterHook(written, undefined, unit, resource)
    return written
  })
}

/** Executes a write that validators or hooks may change, or that has errors, which are reported with theirs. */
async function writeChanged(
  plan: WritePlan,
  unit: UnitOfWork,
  lifecycle: WriteLifecycle,
  readPlan: ReadPlan | undefined,
): Promise<Written> {
  const { steps, state } = prepareChange(plan, unit, lifecycle)
  await unit.transaction.run(steps)
  const written = await writeWithMembers(state.plan, unit, { readPlan })
  await runAfterHook(written, state.stored, unit, lifecycle.resource)
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
  const { id } = prepared.result()
  const members = await runBeforeMembers(links, { resource, id }, unit)
  await transaction.run(others, [writeRow])
  await writeMemberValues(members, unit)
  await runAfterMembers(members, unit)
  return prepared.result()
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

/** Runs the hook after a write, and records the change for `afterCommit`. An update that changed nothing has neither. */
async function runAfterHook(
  { id, changedLinks }: Written,
  before: StoredResource | undefined,
  unit: UnitOfWork,
  resource: ResourceType,
): Promise<void> {
  const { afterCreate, afterUpdate, afterCommit } = resource.hooks
  if (!afterCommit && !(before ? afterUpdate : afterCreate)) return
  const stored = await readStored(unit, resource, id)
  if (before && !changedLinks && isUnchanged(resource, before, stored)) return
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
