import { throwErrors } from '../../errors/collector.ts'
import { NotFoundError } from '../../errors/errors.ts'
import type { Awaitable } from '../../model/declare/hooks.ts'
import { runAccessChecks } from '../access/run-checks.ts'
import { scopeError, toNotStoredError } from '../errors.ts'
import { checkIds } from '../read/repeated-ids.ts'
import type { Statements } from '../statements.ts'
import type { Transaction, Written } from '../store.ts'
import { thenMaybe } from '../then-maybe.ts'
import { createParentStep, listMemberSteps } from './link-steps.ts'
import { prepareInserts } from './multi-row-insert.ts'
import {
  checkCondition,
  checkRelated,
  checkRules,
  checkRulesAndRelated,
  lockResource,
} from './preconditions.ts'
import { bindSteps, type CommitNext, runAtOnce } from './steps.ts'
import type { WriteConnection } from './write-connection.ts'
import { insertStep, updateAtOnceStep, updateStep, writeUnlessDeniedStep } from './write-row.ts'
import { createWriteState, getWritten, type WriteState, type WriteStep } from './write-state.ts'

/** Creates the operations of a transaction that execute creates and updates. */
export function createWriteOperations(
  connection: WriteConnection,
  statements: Statements,
): Pick<Transaction, 'write' | 'prepareInserts' | 'prepareWrite'> {
  const mayCheckMore = statements.checks !== undefined || connection.checkValues !== undefined
  return {
    write: (plan, options = {}) => {
      const state = createWriteState(connection, plan, options, statements)
      if (options.mayCommit && connection.commitNext && isOneRoundTrip(state))
        return writeAtOnce(state, connection.commitNext)
      const steps: WriteStep[] = plan.precondition ? [lockStep] : []
      const mayUnlink = statements.unlinkChecks(plan.shape).length > 0
      if (plan.condition) steps.push(rulesStep, conditionStep, relatedStep)
      else if (mayCheckMore || mayUnlink || plan.existenceChecks.length > 0) steps.push(checkStep)
      steps.push(...listWriteSteps(state))
      return thenMaybe(connection.runSteps(steps, state), getWritten)
    },
    prepareInserts: (plans, response) => prepareInserts(connection, plans, response, statements),
    prepareWrite: (plan, options = {}) => {
      const state = createWriteState(connection, plan, options, statements)
      const [first, ...others] = bindSteps(listWriteSteps(state), state)
      if (first === undefined) throw new Error('A write has no steps.')
      return { steps: [first, ...others], result: () => getWritten(state) }
    },
  }
}

/**
 * Lists the steps that write: write the row, change the rows of its relationships, link it to the resource in the path, check that
 * every changed resource still matches its type, and read the response. Most writes have only the first and the last. PostgreSQL gets
 * steps without needs together with those before them: the first error, in their order, rolls back what the others did.
 */
function listWriteSteps(state: WriteState): WriteStep[] {
  const { compiled, statements, readPlan, mayLeaveScope } = state
  const { insert, denied, needsId, links, parent, hasScope } = compiled
  const { access } = statements.target
  const writeRow = denied.length > 0 ? writeUnlessDeniedStep : insert ? insertStep : updateStep
  const needs = needsId ? [writeRow] : []
  const steps = [writeRow]
  if (links.length > 0) steps.push(...listMemberSteps(state, needs))
  for (const statement of parent) steps.push(createParentStep(statement, needs))
  if (hasScope && !mayLeaveScope) steps.push({ needs, run: checkScope })
  if (access) steps.push({ needs, run: checkAccess })
  const response = compiled.returned ? [writeRow] : needs
  if (readPlan) steps.push({ ...(access ? readVisible : read), needs: response })
  return steps
}

/**
 * Whether one statement is the whole write, and no other one decides whether it may: a new row, or a change of the own columns of a row.
 * The columns accept its values as far as the catalog says.
 */
function isOneRoundTrip({ connection, compiled, plan, readPlan, statements }: WriteState): boolean {
  return (
    compiled.writesInOneStatement &&
    // Otherwise the id of the new row has to arrive before its response is read.
    (readPlan === undefined || !compiled.needsId || compiled.returned !== undefined) &&
    // The precondition of a create is about another row.
    (compiled.insert === undefined) === (plan.precondition !== undefined) &&
    (plan.condition === undefined ||
      (plan.condition.digests !== undefined && compiled.updateIfVersion !== undefined)) &&
    plan.existenceChecks.length === 0 &&
    statements.unlinkChecks(plan.shape).length === 0 &&
    (connection.checkValues?.(plan).length ?? 0) === 0
  )
}

/**
 * Writes one row, reads the response and commits, in one round trip. Without JavaScript before the commit, only the database can reject
 * the write. The row need not be locked first: the number of updated rows says whether it exists, and has a version that is demanded. A
 * statement that waits for another transaction compares the version that this one has left.
 */
async function writeAtOnce(state: WriteState, commit: CommitNext): Promise<Written> {
  const { compiled, readPlan } = state
  const writeRow = compiled.insert ? insertStep : updateAtOnceStep
  const steps = readPlan && !compiled.returned ? [writeRow, { ...read, needs: [] }] : [writeRow]
  const results = await runAtOnce(steps, state, commit)
  const [written, committed] = [results[0], results.at(-1)]
  if (written?.status === 'rejected') throw written.reason
  const reading = steps.length > 1 ? results[1] : undefined
  const failure = reading?.status === 'rejected' ? reading : compiled.returned && tryToLoad(state)
  if (committed?.status === 'rejected') throw failure ? failure.reason : committed.reason
  return { ...getWritten(state), isCommitted: true, ...(failure && { failure: failure.reason }) }
}

/** Loads the row that was returned, of a write that is committed already. */
function tryToLoad(state: WriteState): Readonly<{ reason: unknown }> | undefined {
  try {
    loadReturned(state)
  } catch (reason) {
    return { reason }
  }
  return undefined
}

/** Makes the row that the statement of the write returned that of the response. @returns false if it has to be read */
function loadReturned(state: WriteState): boolean {
  const { compiled, returned } = state
  if (compiled.returned === undefined || returned === undefined) return false
  compiled.returned.load?.(returned)
  state.rows = { is: 'complete', count: 1, primary: [returned], included: [] }
  return true
}

/** Locks the resource in the path, before everything else: if it does not exist, no other error is reported. */
const lockStep: WriteStep = { needs: [], run: lockResource }

/** Checks the other preconditions of a plan that has no errors of its own. */
const checkStep: WriteStep = {
  needs: [],
  run: (state) => thenMaybe(checkRulesAndRelated(state), throwErrors),
}

/** The same for a plan with a condition, which is checked before errors of the document are found. */
const rulesStep: WriteStep = { needs: [], run: checkRules }
const conditionStep: WriteStep = { needs: [], run: checkCondition }
const relatedStep: WriteStep = {
  needs: [],
  run: (state) => thenMaybe(checkRelated(state), throwErrors),
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

/** Reads the written resource. @throws NotFoundError when it does not exist */
function readResponse(state: WriteState): Awaitable<void> {
  const { connection, readPlan, id, statements } = state
  if (readPlan === undefined || loadReturned(state)) return undefined
  const reading =
    id === undefined ? connection.readInserted?.(readPlan) : connection.read(readPlan, id)
  return thenMaybe(reading, (rows) => {
    // The written resource was found once.
    const mayRepeat = rows !== undefined && rows.included.length > 0
    state.rows = mayRepeat ? checkIds(rows, readPlan.shape, statements.target) : rows
  })
}

/** Reads the written resource, unless the request may not read it. */
async function readVisibleResponse(state: WriteState): Promise<void> {
  try {
    await readResponse(state)
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
  }
}

/** How the response is read: everybody may read the row, so one that is not found was not stored. */
const read: Omit<WriteStep, 'needs'> = {
  run: readResponse,
  convertError: (error, { plan }) => toNotStoredError(error, plan.shape),
}

/** The same with access rules: whoever writes a resource need not be allowed to read it. */
const readVisible: Omit<WriteStep, 'needs'> = { run: readVisibleResponse }
