import type { Awaitable } from '../model/hooks.ts'
import { getRelationship, type ResourceType } from '../model/model.ts'
import { toFieldPointer } from '../plan/write-builder.ts'
import { runAccessCheck } from './access/run-checks.ts'
import { linkConstraintError, reportConstraintErrors } from './constraints.ts'
import { scopeError } from './scope-error.ts'
import type { RunValues, Statement } from './statement.ts'
import type { Statements } from './statements.ts'
import { thenMaybe } from './then-maybe.ts'
import type { WriteConnection } from './write-connection.ts'
import type { WriteState, WriteStep } from './write-state.ts'

/**
 * Lists the steps that change the members of relationships, then those that check that the members still match their types.
 * @param needs - the step that writes the row, if they need its id
 */
export function listMemberSteps(state: WriteState, needs: readonly WriteStep[]): WriteStep[] {
  const { plan, statements, compiled } = state
  const { shape, linkIds, document } = plan
  const { resource } = statements.ofType(shape.type)
  const changes: WriteStep[] = []
  const checks: WriteStep[] = []
  for (const [index, { relationship: name }] of shape.links.entries()) {
    const { to } = getRelationship(resource, name)
    const pointer = document === 'resource' ? toFieldPointer({ is: 'relationship', name }) : '/data'
    const location = { pointer, resource }
    const changedIds: string[] = []
    const ofMember = (compiled.links[index] ?? []).map(
      (statement): WriteStep => ({
        needs,
        run: ({ connection, id }) => {
          const values = { planValues: [], id, ids: linkIds[index] ?? [] }
          const changing = executeLink(connection, statement, values, location)
          return thenMaybe(changing, (changed) => void changedIds.push(...changed))
        },
      }),
    )
    changes.push(...ofMember)
    const run: WriteStep['run'] = ({ connection }) =>
      checkMembers(connection, changedIds, { to, pointer }, statements)
    checks.push({ needs: ofMember, run })
    const access = statements.memberCheck(plan, index)
    if (access) {
      const rule = { ...access, pointer }
      checks.push({
        needs: ofMember,
        run: ({ connection, id }) =>
          runAccessCheck(connection, rule, plan, { id, ids: changedIds }),
      })
    }
  }
  return [...changes, ...checks]
}

/** Creates a step that links a new resource to the one in the path. */
export function createParentStep(statement: Statement, needs: readonly WriteStep[]): WriteStep {
  return {
    needs,
    run: ({ connection, plan, statements, id }) => {
      const location = { pointer: '/data', resource: statements.ofType(plan.shape.type).resource }
      const ids = id === undefined ? [] : [id]
      const values = { planValues: [], id: plan.precondition?.id, ids }
      return executeLink(connection, statement, values, location)
    },
  }
}

/** Runs a statement that changes rows of a relationship. @returns the ids that it returns: those of the changed rows */
function executeLink(
  connection: WriteConnection,
  statement: Statement,
  values: RunValues,
  { pointer, resource }: Readonly<{ pointer: string; resource: ResourceType }>,
): Awaitable<string[]> {
  const rows = reportConstraintErrors(
    () => connection.all(statement, values),
    (error) => linkConstraintError(error, pointer, resource),
  )
  return thenMaybe(rows, (changed) => changed.map(([id]) => String(id)))
}

/** @throws BodyError `invalid_value` (422) when changed members no longer match their type */
function checkMembers(
  connection: WriteConnection,
  ids: readonly string[],
  { to, pointer }: Readonly<{ to: string; pointer: string }>,
  statements: Statements,
): Awaitable<void> {
  if (ids.length === 0) return undefined
  return thenMaybe(
    connection.all(statements.ofType(to).lookupInScope, { planValues: [], ids }),
    (left) => {
      if (left.length < ids.length) throw scopeError('a member', to, pointer)
    },
  )
}
