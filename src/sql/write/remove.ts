import type { Awaitable } from '../../model/declare/hooks.ts'
import type { ResourceType } from '../../model/model.ts'
import type { Row } from '../../plan/row-layout.ts'
import { lockAndCheck } from '../access/run-checks.ts'
import { notFoundError } from '../errors.ts'
import { repeatedIdError } from '../read/repeated-ids.ts'
import type { Statement } from '../statement.ts'
import type { Statements } from '../statements.ts'
import { thenMaybe } from '../then-maybe.ts'
import { convertConstraintError, deletionConstraintError } from './constraints.ts'
import { changesOneRow } from './one-row.ts'
import { checkCondition, lockResource } from './preconditions.ts'
import { type CommitNext, runAtOnce, type Step } from './steps.ts'
import { UnclearError } from './write-row.ts'
import type { PlannedWrite } from './write-state.ts'

/** A deletion, and how many rows it has changed. */
interface Deletion extends PlannedWrite {
  removed: number
}

/**
 * Deletes a resource: locks it, checks the rules, and deletes it. A trigger or a rule of the database may replace the deletion: then the
 * database does not say how many rows it deleted, and nothing is deleted before the checks have passed. A row that
 * a trigger keeps is no error either: the trigger is the rule of the operator, and it ran. If nothing else can be wrong than that there is
 * no row, which changes nothing, the deletion is committed in one round trip.
 * @param mayCommit - whether nothing follows
 * @returns `kept` if the resource still exists
 * @throws NotFoundError when it does not exist; Error when several rows have its id; ApiError `forbidden` (403), or that of a constraint
 */
export async function removeResource(
  write: PlannedWrite,
  mayCommit = false,
): Promise<'deleted' | 'kept'> {
  const { plan, statements, connection } = write
  const resource = getType(write)
  const change = resource.softDelete === undefined ? 'delete' : 'update'
  const isReplaceable =
    statements.target.facts.triggersOf(resource.table)?.changes.has(change) ?? false
  const conditional = plan.condition ? [lockStep, checkStep, conditionStep] : [checkStep]
  const before = isReplaceable ? [...conditional, findStep] : conditional
  const steps = [...before, { ...removeStep, needs: isReplaceable ? before : [] }]
  const { commitNext } = connection
  const deletion = { ...write, removed: 0 }
  const isOneRoundTrip =
    mayCommit &&
    findRemovalAtOnce(write) !== undefined &&
    changesOneRow(resource, statements.target)
  if (isOneRoundTrip && commitNext) await removeAtOnce(deletion, commitNext)
  else await connection.runSteps(steps, deletion)
  const { removed } = deletion
  if (isReplaceable) return (await find(write)).length > 0 ? 'kept' : 'deleted'
  if (removed === 0) throwNotFound(write)
  if (removed > 1) throw repeatedIdError(resource, plan.id)
  return 'deleted'
}

/** Checks the rules on the row, once it is locked. @throws ApiError `forbidden` (403) */
const checkStep: Step<Deletion> = {
  needs: [],
  run: ({ connection, plan, statements }) => {
    const access = statements.checks?.(plan)
    return access && lockAndCheck(connection, access, plan)
  },
}

/** Locks the row, so that nobody changes it after its version was read. @throws NotFoundError when it does not exist */
const lockStep: Step<Deletion> = { needs: [], run: lockResource }

const conditionStep: Step<Deletion> = { needs: [], run: checkCondition }

/** @throws NotFoundError when the resource does not exist */
const findStep: Step<Deletion> = {
  needs: [],
  run: (write) =>
    thenMaybe(find(write), ({ length }) => {
      if (length === 0) throwNotFound(write)
      if (length > 1) throw repeatedIdError(getType(write), write.plan.id)
    }),
}

const removeStep: Omit<Step<Deletion>, 'needs'> = {
  run: (deletion) => runRemoval(deletion, ofType(deletion).removals.remove),
  convertError: (error, deletion) =>
    convertConstraintError(error, (violated) =>
      deletionConstraintError(violated, getType(deletion)),
    ),
}

/** Deletes a row that was not looked up. @throws UnclearError if there is none, or none with a version that is demanded */
const removeAtOnceStep: Step<Deletion> = {
  ...{ ...removeStep, needs: [] },
  run: (deletion) =>
    thenMaybe(runRemoval(deletion, findRemovalAtOnce(deletion)), () => {
      if (deletion.removed === 0) throw new UnclearError('No row was deleted.')
    }),
}

/** The statement that deletes a row and checks the condition; `undefined` if it needs another one. */
function findRemovalAtOnce(write: PlannedWrite): Statement | undefined {
  const { condition } = write.plan
  if (condition === undefined) return ofType(write).removals.removeAtOnce
  return condition.digests && ofType(write).removals.removeIfVersion
}

function runRemoval(deletion: Deletion, statement: Statement | undefined): Awaitable<void> {
  const { connection, plan } = deletion
  const values = { planValues: [], id: plan.id, versions: plan.condition?.digests }
  return thenMaybe(statement && connection.run(statement, values), (removed = 0) => {
    deletion.removed = removed
  })
}

/** Deletes a row and commits. If there is none, the commit changes nothing. */
async function removeAtOnce(deletion: Deletion, commit: CommitNext): Promise<void> {
  const results = await runAtOnce([removeAtOnceStep], deletion, commit)
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/** Returns a row for each row with the id. */
function find({ connection, plan, statements }: PlannedWrite): Awaitable<readonly Row[]> {
  const { exists } = statements.ofType(plan.shape.type)
  return connection.all(exists, { planValues: [], id: plan.id })
}

function ofType({ plan, statements }: PlannedWrite): ReturnType<Statements['ofType']> {
  return statements.ofType(plan.shape.type)
}

function getType(write: PlannedWrite): ResourceType {
  return ofType(write).resource
}

/** @throws NotFoundError for the resource in the path, if there is one */
function throwNotFound({ plan: { precondition, id } }: PlannedWrite): void {
  if (precondition) throw notFoundError(precondition.notFound, id)
}
