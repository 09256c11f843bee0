import { hasErrors } from '../errors/collector.ts'
import { ApiError } from '../errors/errors.ts'
import type { RequestContext } from '../model/declare/request-context.ts'
import { getRelationship, getResourceType, type Model } from '../model/model.ts'
import { planSeveral, type ReadShape } from '../plan/read.ts'
import type { Row } from '../plan/row-layout.ts'
import type { WritePlan } from '../plan/write.ts'
import { notStoredError } from '../sql/errors.ts'
import type { PreparedInserts } from '../sql/store.ts'
import type { LifecycleContext } from './context.ts'
import type { UnitOfWork } from './unit-of-work.ts'
import { respondWithId, type WriteResponse } from './write.ts'

// Deletions in a row are not one statement with `= any(…)`. Creates are independent of each other, but a deletion may delete or change what a
// later one names, by a foreign key, so that this one is 404; a joint statement would report both as done. And what it does not affect, it
// says nothing of: each missing row would need the reads of a deletion of its own to tell 404 from 403 and 412, in the order of the operations.

/** A create, and the response to it. */
export interface PlannedCreate<Result> {
  readonly write: WritePlan
  readonly response: WriteResponse<Result>
}

/**
 * Whether nothing but the database decides what a create does, and nothing that is written together with it changes its response: no hook
 * or validator runs, and the response shows the row alone.
 */
export function isPlainCreate<Result>(
  { write, response }: PlannedCreate<Result>,
  context: LifecycleContext,
  request: RequestContext,
): boolean {
  const { shape, operation, errors } = write
  if (operation !== 'create' || hasErrors(errors)) return false
  const { writesDirectly, hasAfterHook } = context.getWriteLifecycle(shape)
  return (
    writesDirectly &&
    !hasAfterHook &&
    context.bindReadHooks?.(response.plan, request) === undefined &&
    showsRowAlone(response.plan.shape, context.planner.model)
  )
}

/** Whether a create is one of the same shape with the same response as a plain one. */
export function isLikeCreate<Result>(
  { write, response }: PlannedCreate<Result>,
  plain: PlannedCreate<Result>,
): boolean {
  const { shape, operation, errors } = write
  return (
    shape === plain.write.shape &&
    operation === 'create' &&
    !hasErrors(errors) &&
    response.plan === plain.response.plan
  )
}

/** Whether a document shows nothing that other rows of the type of its resource decide. */
function showsRowAlone({ type, order, includeEdges, primary }: ReadShape, model: Model): boolean {
  const resource = model.types.get(type)
  return (
    resource !== undefined &&
    order.length === 0 &&
    includeEdges.length === 0 &&
    primary.values.every((value) => 'column' in value || 'versionOf' in value) &&
    primary.linkages.every(
      ({ relationship }) => getRelationship(resource, relationship).to !== type,
    )
  )
}

/** A resource that was created, and the response to its create. */
interface Created<Result> {
  readonly id: string
  readonly result: Result
}

/**
 * Executes several creates of one shape by few statements, in the transaction of their request. If they are all of it, they may commit it.
 * @returns what each create returns, in their order; `undefined` if they have to be executed one by one: somebody could tell the difference, or one of them
 *   is rejected. Nothing is written then
 */
export async function createMany<Result>(
  creates: readonly PlannedCreate<Result>[],
  unit: UnitOfWork,
  context: LifecycleContext,
): Promise<readonly Created<Result>[] | undefined> {
  const [first] = creates
  const plans = creates.map(({ write }) => write)
  const prepared = first && unit.transaction.prepareInserts(plans, first.response.plan.shape)
  if (first === undefined || prepared === undefined) return undefined
  const { insert, insertAtOnce, load } = prepared
  if (insertAtOnce && unit.mayCommit && context.neverThrows(first.response.plan.shape)) {
    const rows = await insertAtOnce()
    return creates.map((create, index) => respondStored(create, rows[index], { load, unit }))
  }
  try {
    return await unit.transaction.savepoint(async () => {
      const inserted = await insert()
      if (inserted === undefined) throw new RejectedRow()
      const rows = load ? inserted : await readCreated(first, inserted, unit)
      return creates.map((create, index) => respond(create, rows[index], load))
    })
  } catch (error) {
    // Executed one by one, the first that is rejected has the error.
    if (error instanceof RejectedRow || isOfRequest(error)) return undefined
    throw error
  }
}

/** Serializes the response to a create. @throws BodyError `not_stored` (409) */
function respond<Result>(
  { write, response: { plan, serialize } }: PlannedCreate<Result>,
  row: Row | undefined,
  load: PreparedInserts['load'],
): Created<Result> {
  if (row === undefined) throw notStoredError(write.shape)
  load?.(row)
  const id = String(row[0])
  const rows = { is: 'complete', count: undefined, primary: [row], included: [] } as const
  return { id, result: serialize(plan, rows, id) }
}

/** The same for a row that is committed already: if it cannot be shown, the response has only its id. */
function respondStored<Result>(
  create: PlannedCreate<Result>,
  row: Row | undefined,
  { load, unit }: Readonly<{ load: PreparedInserts['load']; unit: UnitOfWork }>,
): Created<Result> {
  try {
    return respond(create, row, load)
  } catch (error) {
    if (row === undefined) throw error
    const id = String(row[0])
    const resource = getResourceType(unit.planner.model, create.write.shape.type)
    return { id, result: respondWithId(create.response, id, unit, { resource, error }) }
  }
}

/** Whether an error is one of the request, and not of the server. */
function isOfRequest(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500
}

/** The database rejects one of several rows. */
class RejectedRow extends Error {}

/** Reads rows that were inserted, in the order of their ids. @returns `undefined` for one that is not stored */
async function readCreated<Result>(
  { response: { plan } }: PlannedCreate<Result>,
  inserted: readonly Row[],
  { planner, transaction }: UnitOfWork,
): Promise<readonly (Row | undefined)[]> {
  const ids = inserted.map(([id]) => String(id))
  const { primary } = await transaction.read(planSeveral(planner, plan, ids))
  const rows = new Map(primary.map((row) => [String(row[0]), row]))
  return ids.map((id) => rows.get(id))
}
