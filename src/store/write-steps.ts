import { throwErrors } from '../errors/collector.ts'
import { NotFoundError } from '../errors/errors.ts'
import type { Awaitable } from '../model/hooks.ts'
import type { WritePlan } from '../plan/write.ts'
import { runAccessChecks } from './access/run-checks.ts'
import { createParentStep, listMemberSteps } from './link-steps.ts'
import { readWritten } from './not-stored.ts'
import { checkPreconditions } from './preconditions.ts'
import { scopeError } from './scope-error.ts'
import type { Statements } from './statements.ts'
import { bindSteps } from './steps.ts'
import type { PreparedWrite, WriteOptions, Written } from './store.ts'
import { thenMaybe } from './then-maybe.ts'
import type { WriteConnection } from './write-connection.ts'
import { writeRow } from './write-row.ts'
import { createWriteState, getWritten, type WriteState, type WriteStep } from './write-state.ts'

/**
 * Executes a create or an update whose plan is final, as `Transaction.write`. If a check fails, the transaction is rolled back.
 */
export function executeWritePlan(
  connection: WriteConnection,
  plan: WritePlan,
  options: WriteOptions,
  statements: Statements,
): Awaitable<Written> {
  const state = createWriteState(connection, plan, options, statements)
  const steps = [checkStep, writeRow, ...listLaterSteps(state)]
  return thenMaybe(connection.runSteps(steps, state), getWritten)
}

/**
 * Lists the steps of a create or an update: write the row, change the rows of its relationships, link it to the resource in
 * the path, check that every changed resource still matches its type, and read the response.
 *
 * @returns the steps; `result` may be called when all of them have run
 */
export function prepareWrite(
  connection: WriteConnection,
  plan: WritePlan,
  options: WriteOptions,
  statements: Statements,
): PreparedWrite {
  const state = createWriteState(connection, plan, options, statements)
  const [first, ...others] = bindSteps([writeRow, ...listLaterSteps(state)], state)
  if (first === undefined) throw new Error('A write has no steps.')
  return { steps: [first, ...others], result: () => getWritten(state) }
}

/** Lists the steps after the one that writes the row. Most writes have only the one that reads the response. */
function listLaterSteps(state: WriteState): WriteStep[] {
  const { compiled, statements, readPlan, mayLeaveScope } = state
  const { needsId, links, parent, hasScope } = compiled
  const needs = needsId ? [writeRow] : []
  const steps: WriteStep[] = []
  if (links.length > 0) steps.push(...listMemberSteps(state, needs))
  for (const statement of parent) steps.push(createParentStep(statement, needs))
  if (hasScope && !mayLeaveScope) steps.push({ needs, run: checkScope })
  if (statements.target.access) steps.push({ needs, run: checkAccess })
  if (readPlan) steps.push({ needs, run: readResponse })
  return steps
}

/** Checks the preconditions of a plan that has no errors of its own. */
const checkStep: WriteStep = {
  needs: [],
  run: ({ connection, plan, statements }) =>
    thenMaybe(checkPreconditions(connection, plan, statements), throwErrors),
}

/** Checks that the written row still matches the scope of its type. @throws BodyError `invalid_value` (422) */
function checkScope({ connection, plan, statements, id }: WriteState): Awaitable<void> {
  const { resource, inScope } = statements.ofType(plan.shape.type)
  return thenMaybe(connection.all(inScope, { planValues: [], id }), (rows) => {
    if (rows.length === 0) throw scopeError('this resource', resource.type, '/data')
  })
}

/** Checks that the written row meets the access rules. @throws ApiError `forbidden` (403) */
function checkAccess({ connection, plan, statements, id }: WriteState): Awaitable<void> {
  return runAccessChecks(connection, statements.checks?.(plan)?.after ?? [], plan, { id })
}

/** Reads the written resource. */
function readResponse(state: WriteState): Awaitable<void> {
  const { connection, plan, readPlan, statements, id } = state
  if (readPlan === undefined) return undefined
  const read = () =>
    id === undefined ? connection.readInserted?.(readPlan) : connection.read(readPlan, id)
  // Whoever writes a resource need not be allowed to read it.
  const reading = statements.target.access ? ignoreNotFound(read) : readWritten(read, plan.shape)
  return thenMaybe(reading, (rows) => {
    state.rows = rows
  })
}

async function ignoreNotFound<Result>(read: () => Awaitable<Result>): Promise<Result | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}
