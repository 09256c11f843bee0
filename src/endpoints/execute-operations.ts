import { createMany, isPlainCreate, type PlannedCreate } from '../lifecycle/create-many.ts'
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
  /** Returns its plan, which is made again if it names resources that were inserted before. */
  readonly plan: (ids: InsertedIds) => RequestPlan<Body>
  /** The plan without these ids. */
  readonly planned: RequestPlan<Body>
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
      const created = await executeCreates(creates, ids, execution, within)
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
  const first = operations[start]
  const shape = first && findCreate(first)?.write.shape
  if (first === undefined || shape === undefined || executeOne !== undefined) return []
  const isNext = (operation: PlannedOperation<Body>) => {
    const create = findCreate(operation)
    const isLike = create?.write.shape === shape && isPlainCreate(create, context, request)
    return isLike && operation.steps.every(({ named }) => named < first.location.index)
  }
  const creates: PlannedOperation<Body>[] = []
  for (let index = start; index < operations.length; index += 1) {
    const operation = operations[index]
    if (operation === undefined || !isNext(operation)) break
    creates.push(operation)
  }
  return creates
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
  { request }: Execution<Body>,
  context: AppContext<Body>,
): Promise<readonly Awaited<Body>[] | undefined> {
  if (operations.length < 2) return undefined
  const written = operations.map((): { id?: string } => ({}))
  const creates = operations.flatMap(({ steps }, index) => {
    const [step] = steps
    const plan = step && observeId(step.plan(ids), written[index] ?? {})
    return plan?.is === 'write' ? [plan] : []
  })
  const responses = await createMany(creates, context, request)
  if (responses === undefined) return undefined
  for (const [index, { location }] of operations.entries()) {
    const id = written[index]?.id
    if (id !== undefined) ids.set(location.index, id)
  }
  return Promise.all(responses.map(async ({ body }) => body))
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
      response = await executeStep(observeId(step.plan(ids), written), context)
      if (written.id !== undefined) ids.set(location.index, written.id)
      executeStep = executeAlone
    }
    if (response === undefined) throw new Error('An operation has no step.')
    return await response.body
  } catch (error) {
    throw locateError(error, location)
  }
}
