import {
  createMany,
  isLikeCreate,
  isPlainCreate,
  type PlannedCreate,
} from '../lifecycle/create-many.ts'
import { executeInTransaction } from '../lifecycle/transaction.ts'
import type { UnitOfWork } from '../lifecycle/unit-of-work.ts'
import { atomicMediaType } from '../model/media-types.ts'
import type { AppContext } from './app-context.ts'
import type { ApiRequest, ApiResponse } from './handler.ts'
import type { InsertedIds } from './local-id-table.ts'
import { locateError, type OperationLocation } from './operation-errors.ts'
import { type ExecutePlan, executePlan, observeId, type RequestPlan } from './request-plan.ts'

/** A write of an operation. */
export interface PlanStep<Body> {
  /** The plan without the ids of resources that are inserted before. */
  readonly planned: RequestPlan<Body>
  /** Plans it again with these ids; absent if it names none. */
  readonly plan?: (ids: InsertedIds) => RequestPlan<Body>
  /** The index of the last operation whose new resource it names; −1 if it names none. */
  readonly named: number
}

/** An operation without errors that can be found without a database. */
export interface PlannedOperation<Body> {
  readonly location: OperationLocation
  /** A new resource that references itself has two: the insert, and the update of these relationships. */
  readonly steps: readonly PlanStep<Body>[]
}

/** Returns the context whose responses are results of operations. */
export function toResultContext<Body>(context: AppContext<Body>): AppContext<Body> {
  const { serializer } = context
  return { ...context, isOfBatch: true, serializer: { ...serializer, ...serializer.ofOperations } }
}

/** The longest time of operations until other requests are served, in milliseconds. */
const maxBlocking = 20

/** How operations are executed. */
interface Execution<Body> {
  readonly request: ApiRequest
  /** Executes the write of an operation; `undefined` for a request that counts nothing. */
  readonly executeOne: ExecutePlan<Body> | undefined
}

/** Executes the operations in one transaction. The first one that fails ends it. */
export function executeOperations<Body>(
  operations: readonly PlannedOperation<Body>[],
  execution: Execution<Body>,
  context: AppContext<Body>,
): Promise<ApiResponse<Body>> {
  return executeInTransaction(context, execution.request, async (unit) => {
    const within = { ...toResultContext(context), open: { ...unit, isOfRequest: true } }
    const ids = new Map<number, string>()
    const results: Awaited<Body>[] = []
    let start = performance.now()
    const serveOthers = async () => {
      if (performance.now() - start < maxBlocking) return
      await new Promise((resolve) => setImmediate(resolve))
      start = performance.now()
    }
    while (results.length < operations.length) {
      const { length } = results
      const creates = findCreates(operations, length, execution, within)
      const mayCommit = unit.mayCommit === true && creates.length === operations.length
      const created = await executeCreates(creates, ids, { ...unit, mayCommit }, within)
      if (created) results.push(...created)
      await serveOthers()
      if (created) continue
      for (const operation of operations.slice(length, length + Math.max(1, creates.length))) {
        results.push(await executeOperation(operation, ids, execution, within))
        await serveOthers()
      }
    }
    const body = context.serializer.serializeResults(results)
    return { status: 200, headers: { 'content-type': atomicMediaType }, body }
  })
}

/** The creates from an operation on that one statement may insert; none for a request that counts what it writes. */
function findCreates<Body>(
  operations: readonly PlannedOperation<Body>[],
  start: number,
  { request, executeOne }: Execution<Body>,
  context: AppContext<Body>,
): readonly PlannedOperation<Body>[] {
  const [first] = operations.slice(start, start + 1)
  const create = first && findCreate(first)
  if (first === undefined || create === undefined || executeOne !== undefined) return []
  if (!isPlainCreate(create, context, request)) return []
  const isNext = (operation: PlannedOperation<Body>) => {
    const next = findCreate(operation)
    const isLike = next !== undefined && isLikeCreate(next, create)
    return isLike && operation.steps.every(({ named }) => named < first.location.index)
  }
  const end = operations.findIndex((each, index) => index >= start && !isNext(each))
  return operations.slice(start, end === -1 ? undefined : end)
}

/** The create that is a whole operation. */
function findCreate<Body>({
  steps,
}: PlannedOperation<Body>): PlannedCreate<ApiResponse<Body>> | undefined {
  const [step] = steps
  return steps.length === 1 && step?.planned.is === 'write' ? step.planned : undefined
}

/** Executes creates by few statements. @returns their results; `undefined` if they have to be executed one by one */
async function executeCreates<Body>(
  operations: readonly PlannedOperation<Body>[],
  ids: Map<number, string>,
  unit: UnitOfWork,
  context: AppContext<Body>,
): Promise<readonly Awaited<Body>[] | undefined> {
  if (operations.length < 2) return undefined
  const creates: PlannedCreate<ApiResponse<Body>>[] = []
  for (const {
    steps: [step],
  } of operations) {
    const plan = step && getPlan(step, ids)
    if (plan?.is === 'write') creates.push(plan)
  }
  const created = await createMany(creates, unit, context)
  if (created === undefined) return undefined
  for (const [index, { location }] of operations.entries()) {
    const id = created[index]?.id
    if (id !== undefined) ids.set(location.index, id)
  }
  const bodies = created.map(({ result }) => result.body)
  // Without a promise for each text of a large batch. What is no promise is its own awaited value.
  return bodies.some((body) => body instanceof Promise)
    ? Promise.all(bodies)
    : (bodies as Awaited<Body>[])
}

/** Returns the plan of a write, with the ids of resources that were inserted before. */
function getPlan<Body>({ plan, planned }: PlanStep<Body>, ids: InsertedIds): RequestPlan<Body> {
  return plan ? plan(ids) : planned
}

/** Executes one operation. @returns its result @throws what a request of its own throws */
async function executeOperation<Body>(
  { steps, location }: PlannedOperation<Body>,
  ids: Map<number, string>,
  { request, executeOne }: Execution<Body>,
  context: AppContext<Body> & Readonly<{ open: UnitOfWork }>,
): Promise<Awaited<Body>> {
  const executeAlone: ExecutePlan<Body> = (plan, within) => executePlan(plan, request, within)
  // What completes a new resource that references itself is a part of its create.
  let executeStep = executeOne ?? executeAlone
  try {
    const written: { id?: string } = {}
    let response: ApiResponse<Body> | undefined
    for (const step of steps) {
      response = await executeStep(observeId(getPlan(step, ids), written), context)
      if (written.id !== undefined) ids.set(location.index, written.id)
      executeStep = executeAlone
    }
    if (response === undefined) throw new Error('An operation has no step.')
    return await response.body
  } catch (error) {
    throw locateError(error, location)
  }
}
