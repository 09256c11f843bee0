import type { Awaitable } from '../../model/declare/hooks.ts'
import { getRelationship, type ResourceType } from '../../model/model.ts'
import type { LinkChange } from '../../plan/write-builder.ts'
import { toFieldPointer } from '../../plan/write-rights.ts'
import { runAccessCheck } from '../access/run-checks.ts'
import { scopeError } from '../errors.ts'
import type { Statement } from '../statement.ts'
import type { Statements } from '../statements.ts'
import { thenMaybe } from '../then-maybe.ts'
import { convertConstraintError, linkConstraintError } from './constraints.ts'
import type { WriteConnection } from './write-connection.ts'
import type { WriteState, WriteStep } from './write-state.ts'

/**
 * Lists the steps that change the members of relationships, then those that check that the members still match their types.
 * @param needs - the step that writes the row, if they need its id
 */
export function listMemberSteps(state: WriteState, needs: readonly WriteStep[]): WriteStep[] {
  const links = [...state.plan.shape.links.entries()]
  const byLink = links.map((link) => createLinkSteps(state, link, needs))
  return [...byLink.flatMap(({ changes }) => changes), ...byLink.flatMap(({ checks }) => checks)]
}

/** The steps of one link of a write. */
interface LinkSteps {
  readonly changes: readonly WriteStep[]
  /** They need the ids of the members that were changed. */
  readonly checks: readonly WriteStep[]
}

/** @param link - with its index in the plan */
function createLinkSteps(
  { plan, statements, compiled }: WriteState,
  [index, { relationship: name }]: readonly [number, LinkChange],
  needs: readonly WriteStep[],
): LinkSteps {
  const { resource } = statements.ofType(plan.shape.type)
  const { to } = getRelationship(resource, name)
  const isField = plan.document === 'resource'
  const pointer = isField ? toFieldPointer({ is: 'relationship', name }) : '/data'
  const convertError = createErrorConverter(pointer, resource)
  const changedIds: string[] = []
  const changes = (compiled.links[index] ?? []).flatMap((statement) =>
    splitIds(statement, plan.linkIds[index] ?? []).map(
      (ids): WriteStep => ({ needs, run: createChange(statement, ids, changedIds), convertError }),
    ),
  )
  const checkScope: WriteStep['run'] = ({ connection }) =>
    checkMembers(connection, changedIds, { to, pointer }, statements)
  const accessChecks = statements.memberChecks(plan, index).map(
    (check): WriteStep['run'] =>
      ({ connection, id }) =>
        runAccessCheck(connection, { ...check, pointer }, plan, { id, ids: changedIds }),
  )
  const checks = [checkScope, ...accessChecks]
  return { changes, checks: checks.map((run) => ({ needs: changes, run })) }
}

/**
 * Creates the function that runs a change.
 * @param changedIds - gets the ids of the changed rows, which the statement returns if a check needs them
 */
function createChange(
  statement: Statement,
  ids: readonly string[],
  changedIds: string[],
): WriteStep['run'] {
  return (state) =>
    thenMaybe(state.connection.all(statement, { planValues: [], id: state.id, ids }), (rows) => {
      if (rows.length > 0) state.changedLinks = true
      for (const [changedId] of rows) if (changedId !== null) changedIds.push(String(changedId))
    })
}

/** The number of ids that a statement changes at once, where others can be served after it. It takes a few milliseconds. */
const maxIds = 1000

/** Splits ids for a statement that can change them in parts. */
function splitIds({ isPerId }: Statement, ids: readonly string[]): (readonly string[])[] {
  if (!isPerId || ids.length <= maxIds) return [ids]
  const count = Math.ceil(ids.length / maxIds)
  return Array.from({ length: count }, (_, part) => ids.slice(part * maxIds, (part + 1) * maxIds))
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
