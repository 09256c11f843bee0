import { hasErrors } from '../errors/collector.ts'
import { ApiError } from '../errors/errors.ts'
import type { RequestContext } from '../model/declare/request-context.ts'
import { getRelationship, type Model } from '../model/model.ts'
import { planSeveral, type ReadShape } from '../plan/read.ts'
import type { Row } from '../plan/row-layout.ts'
import type { WritePlan } from '../plan/write.ts'
import { notStoredError } from '../sql/errors.ts'
import type { LifecycleContext } from './context.ts'
import { executeInTransaction } from './transaction.ts'
import type { UnitOfWork } from './unit-of-work.ts'
import type { WriteResponse } from './write.ts'

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

/**
 * Executes several creates of one shape by few statements, in the transaction of their request.
 * @returns what each create returns; `undefined` if they have to be executed one by one: somebody could tell the difference, or one of them
 *   is rejected. Nothing is written then
 */
export async function createMany<Result>(
  creates: readonly PlannedCreate<Result>[],
  context: LifecycleContext,
  request: RequestContext,
): Promise<readonly Result[] | undefined> {
  return executeInTransaction(context, request, async (unit) => {
    const [first] = creates
    const plans = creates.map(({ write }) => write)
    const prepared = first && unit.transaction.prepareInserts(plans, first.response.plan.shape)
    if (first === undefined || prepared === undefined) return undefined
    try {
      return await unit.transaction.savepoint(async () => {
        const inserted = await prepared.insert()
        if (inserted === undefined) throw new RejectedRow()
        const rows = prepared.returnsRows ? inserted : await readCreated(first, inserted, unit)
        return creates.map(({ write, response: { plan, serialize } }, index) => {
          const row = rows[index]
          if (row === undefined) throw notStoredError(write.shape)
          const read = { is: 'complete', count: undefined, primary: [row], included: [] } as const
          return serialize(plan, read, String(row[0]))
        })
      })
    } catch (error) {
      // Executed one by one, the first that is rejected has the error.
      if (error instanceof RejectedRow || isOfRequest(error)) return undefined
      throw error
    }
  })
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
