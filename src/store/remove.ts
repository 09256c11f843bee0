import type { Awaitable } from '../model/hooks.ts'
import { lockAndCheck } from './access/run-checks.ts'
import { convertConstraintError, deletionConstraintError } from './constraints.ts'
import { notFoundError } from './not-found.ts'
import type { Step } from './steps.ts'
import { thenMaybe } from './then-maybe.ts'
import type { PlannedWrite } from './write-state.ts'

/** A deletion, and how many rows it has changed. */
interface Deletion extends PlannedWrite {
  removed: number
}

/**
 * Deletes a resource: locks it, checks the rules, and deletes it. A trigger or a rule of the database may replace the deletion: then the
 * database does not say how many rows it deleted, and nothing is deleted before the checks have passed.
 * @returns `kept` if the resource still exists
 * @throws NotFoundError when it does not exist; ApiError `forbidden` (403), or that of a constraint
 */
export async function removeResource(write: PlannedWrite): Promise<'deleted' | 'kept'> {
  const { plan, statements, connection } = write
  const { resource } = statements.ofType(plan.shape.type)
  const change = resource.softDelete === undefined ? 'delete' : 'update'
  const isReplaceable = statements.target.triggersOf?.(resource.table)?.changes.has(change) ?? false
  const before = isReplaceable ? [checkStep, findStep] : [checkStep]
  const steps = [...before, { ...removeStep, needs: isReplaceable ? before : [] }]
  const { removed } = await connection.runSteps(steps, { ...write, removed: 0 })
  if (isReplaceable) return (await exists(write)) ? 'kept' : 'deleted'
  if (removed === 0) throwNotFound(write)
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

/** @throws NotFoundError when the resource does not exist */
const findStep: Step<Deletion> = {
  needs: [],
  run: (write) =>
    thenMaybe(exists(write), (found) => {
      if (!found) throwNotFound(write)
    }),
}

const removeStep: Omit<Step<Deletion>, 'needs'> = {
  run: (deletion) => {
    const { connection, plan, statements } = deletion
    const { remove } = statements.ofType(plan.shape.type)
    return thenMaybe(connection.run(remove, { planValues: [], id: plan.id }), (removed) => {
      deletion.removed = removed
    })
  },
  convertError: (error, { plan, statements }) =>
    convertConstraintError(error, (violated) =>
      deletionConstraintError(violated, statements.ofType(plan.shape.type).resource),
    ),
}

function exists({ connection, plan, statements }: PlannedWrite): Awaitable<boolean> {
  const { exists: find } = statements.ofType(plan.shape.type)
  return thenMaybe(connection.all(find, { planValues: [], id: plan.id }), (rows) => rows.length > 0)
}

/** @throws NotFoundError for the resource in the path, if there is one */
function throwNotFound({ plan: { precondition, id } }: PlannedWrite): void {
  if (precondition) throw notFoundError(precondition.notFound, id)
}
