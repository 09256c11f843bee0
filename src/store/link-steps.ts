import type { Awaitable } from '../model/hooks.ts'
import { getRelationship, type ResourceType } from '../model/model.ts'
import { toFieldPointer } from '../plan/write-builder.ts'
import { runAccessCheck } from './access/run-checks.ts'
import { convertConstraintError, linkConstraintError } from './constraints.ts'
import { scopeError } from './scope-error.ts'
import type { Statement } from './statement.ts'
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
    const convertError = createErrorConverter(pointer, resource)
    const changedIds: string[] = []
    const ofMember = (compiled.links[index] ?? []).map(
      (statement): WriteStep => ({
        needs,
        run: ({ connection, id }) => {
          const values = { planValues: [], id, ids: linkIds[index] ?? [] }
          // The statement returns the ids of the changed rows.
          return thenMaybe(connection.all(statement, values), (rows) => {
            for (const [changedId] of rows) changedIds.push(String(changedId))
          })
        },
        convertError,
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
    run: ({ connection, plan, id }) => {
      const ids = id === undefined ? [] : [id]
      return connection.all(statement, { planValues: [], id: plan.precondition?.id, ids })
    },
    convertError: (error, { plan, statements }) =>
      createErrorConverter('/data', statements.ofType(plan.shape.type).resource)(error),
  }
}

/** Creates the function that converts a constraint violated by the change of a relationship. @param pointer - that of the linkage */
function createErrorConverter(pointer: string, resource: ResourceType) {
  return (error: unknown): unknown =>
    convertConstraintError(error, (violated) => linkConstraintError(violated, pointer, resource))
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
