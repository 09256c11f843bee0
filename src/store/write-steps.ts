import { BodyError, NotFoundError } from '../errors/errors.ts'
import type { Awaitable } from '../model/hooks.ts'
import { getRelationship, type ResourceType } from '../model/model.ts'
import { listColumnNames } from '../plan/field-values.ts'
import type { CompleteRows } from '../plan/read-result.ts'
import type { Row } from '../plan/row-layout.ts'
import type { WritePlan, WriteShape } from '../plan/write.ts'
import { toFieldPointer } from '../plan/write-builder.ts'
import { runAccessCheck } from './access/run-checks.ts'
import {
  ConstraintError,
  linkConstraintError,
  reportConstraintErrors,
  rowConstraintError,
} from './constraints.ts'
import { findInsertedId } from './inserted-id.ts'
import { readWritten } from './not-stored.ts'
import type { RunValues, Statement } from './statement.ts'
import type { Statements } from './statements.ts'
import type { Step } from './steps.ts'
import type { PreparedWrite, WriteOptions } from './store.ts'
import { thenMaybe } from './then-maybe.ts'
import type { WriteConnection } from './write-connection.ts'

/** A create or an update, and the read of the written resource for the response. */
interface WriteRequest extends WriteOptions {
  readonly plan: WritePlan
}

/** The results of the steps of a write. */
interface WriteState {
  /** The id of the written resource; `undefined` before the database has generated it. */
  id: string | undefined
  rows: CompleteRows | undefined
}

/** Everything that the steps of a write share. */
interface WriteContext extends WriteRequest {
  readonly connection: WriteConnection
  readonly statements: Statements
  readonly state: WriteState
  /** The step that writes the row, for the steps that need its id; none where they can do without. */
  readonly needsId: readonly Step[]
}

/**
 * Lists the steps of a create or an update: write the row, change the rows of its relationships, link it to the resource in
 * the path, check that every changed resource still matches its type, and read the response.
 *
 * @returns the steps; `result` may be called when all of them have run
 */
export function prepareWrite(
  connection: WriteConnection,
  { plan, readPlan, mayLeaveScope = false }: WriteRequest,
  statements: Statements,
): PreparedWrite {
  const { shape } = plan
  const knownId = shape.row === 'newWithId' ? (plan.id ?? crypto.randomUUID()) : plan.id
  const state: WriteState = { id: knownId, rows: undefined }
  const writeRow: Step = {
    needs: [],
    run: () =>
      thenMaybe(writeRowOf(connection, plan, knownId, statements), (id) => {
        state.id = id
      }),
  }
  const { mayChangeId } = statements.write(shape)
  // A new row without an id is found as the last insert, but not by statements of other tables.
  const isKnown =
    knownId === undefined ? canReadInserted(connection, plan, statements) : !mayChangeId
  const needsId = isKnown ? [] : [writeRow]
  const context: WriteContext = { connection, plan, readPlan, statements, state, needsId }
  return {
    steps: [writeRow, ...listLaterSteps(context, mayLeaveScope)],
    result: () => {
      if (state.id === undefined) throw new Error('The result of a write was used before it ran.')
      return { id: state.id, rows: state.rows }
    },
  }
}

/** The steps after the one that writes the row. Most writes have only the one that reads the response. */
function listLaterSteps(context: WriteContext, mayLeaveScope: boolean): Step[] {
  const { plan, statements } = context
  const read = listReadSteps(context)
  const { links, parent } = statements.write(plan.shape)
  const scope = mayLeaveScope ? [] : listScopeSteps(context)
  const access = listAccessSteps(context)
  if (links.length + parent.length + scope.length + access.length === 0) return read
  return [...listMemberSteps(context), ...listParentSteps(context), ...scope, ...access, ...read]
}

/** True if the response to a create can be read without the id of the new row. */
function canReadInserted(
  { readInserted }: WriteConnection,
  { shape }: WritePlan,
  statements: Statements,
): boolean {
  const isElsewhereNeeded =
    statements.write(shape).parent.length > 0 ||
    statements.ofType(shape.type).resource.scope ||
    statements.target.access
  return readInserted !== undefined && !isElsewhereNeeded
}

/** Inserts or updates the row. @returns its id @throws ApiError for violated constraints */
function writeRowOf(
  connection: WriteConnection,
  plan: WritePlan,
  id: string | undefined,
  statements: Statements,
): Awaitable<string> {
  return reportConstraintErrors(
    () => executeRowStatement(connection, plan, id, statements),
    (error) => rowConstraintError(error, plan, statements.ofType(plan.shape.type).resource),
  )
}

function executeRowStatement(
  connection: WriteConnection,
  { shape, values: planValues }: WritePlan,
  id: string | undefined,
  statements: Statements,
): Awaitable<string> {
  const { insert, update } = statements.write(shape)
  if (insert)
    return thenMaybe(connection.all(insert, { planValues, id }), (rows) => {
      // The columns of a primary key of SQLite may be null.
      if (isIdMissing(rows, shape, statements)) throw missingIdError(shape, statements)
      return findInsertedId(connection, rows, { shape, id }, statements)
    })
  if (id === undefined) throw new Error(`An update of ${shape.type} was planned without an id.`)
  return update ? thenMaybe(connection.run(update, { planValues, id }), () => id) : id
}

/** Whether a new row has been stored without a composite id, because a column of it is null. */
function isIdMissing(
  [row]: readonly Row[],
  shape: WriteShape,
  { ofType, write }: Statements,
): boolean {
  const isComposite = ofType(shape.type).resource.id.parts.length > 1
  return isComposite && row?.[0] === null && write(shape).returnsStoredId
}

/** The error of a new row without an id: of the first column of a composite id that has no value. */
function missingIdError({ type, columns }: WriteShape, { ofType, target }: Statements): Error {
  const { resource } = ofType(type)
  const written = columns.flatMap((column) => listColumnNames(column, resource, target.model))
  const missing = resource.id.columns.find((name) => !written.includes(name))
  const found = missing ?? resource.id.columns[0]
  return new ConstraintError('notNull', { columns: [found] }, undefined)
}

/** The steps that change the members of relationships, then those that check that the members still match their types. */
function listMemberSteps({ connection, plan, statements, state, needsId }: WriteContext): Step[] {
  const { shape, linkIds, document } = plan
  const { links } = statements.write(shape)
  const changes: Step[] = []
  const checks: Step[] = []
  for (const [index, { relationship: name }] of shape.links.entries()) {
    const ids = linkIds[index] ?? []
    const { resource } = statements.ofType(shape.type)
    const { to } = getRelationship(resource, name)
    const pointer = document === 'resource' ? toFieldPointer({ is: 'relationship', name }) : '/data'
    const changedIds: string[] = []
    const ofMember = (links[index] ?? []).map(
      (statement): Step => ({
        needs: needsId,
        run: () =>
          thenMaybe(
            executeLink(
              connection,
              statement,
              { planValues: [], id: state.id, ids },
              { pointer, resource },
            ),
            (changed) => void changedIds.push(...changed),
          ),
      }),
    )
    changes.push(...ofMember)
    const run = () => checkMembers(connection, changedIds, { to, pointer }, statements)
    checks.push({ needs: ofMember, run })
    const access = statements.memberCheck(plan, index)
    if (access) {
      const values = { id: state.id, ids: changedIds }
      const check = { ...access, pointer }
      checks.push({ needs: ofMember, run: () => runAccessCheck(connection, check, plan, values) })
    }
  }
  return [...changes, ...checks]
}

/** The steps that link a new resource to the one in the path. */
function listParentSteps({ connection, plan, statements, state, needsId }: WriteContext): Step[] {
  const { shape, precondition } = plan
  const place = { pointer: '/data', resource: statements.ofType(shape.type).resource }
  return statements.write(shape).parent.map(
    (statement): Step => ({
      needs: needsId,
      run: () => {
        const ids = state.id === undefined ? [] : [state.id]
        const values = { planValues: [], id: precondition?.id, ids }
        return thenMaybe(executeLink(connection, statement, values, place), () => {})
      },
    }),
  )
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

/** The steps that check that the written row still matches the scope of its type. */
function listScopeSteps({ connection, plan, statements, state, needsId }: WriteContext): Step[] {
  const { resource, inScope } = statements.ofType(plan.shape.type)
  const { scope } = resource.complete ?? resource
  if (!scope) return []
  let isInScope = true
  const look: Step = {
    needs: needsId,
    run: () =>
      thenMaybe(connection.all(inScope, { planValues: [], id: state.id }), (rows) => {
        isInScope = rows.length > 0
      }),
  }
  const check: Step = {
    needs: [look],
    run: () => {
      if (!isInScope) throw scopeError('this resource', resource.type, '/data')
    },
  }
  return [look, check]
}

/** The steps that check that the written row meets the access rules. */
function listAccessSteps({ connection, plan, statements, state, needsId }: WriteContext): Step[] {
  return (statements.checks(plan)?.after ?? []).map((check) => ({
    needs: needsId,
    run: () => runAccessCheck(connection, check, plan, { id: state.id }),
  }))
}

/** The step that reads the written resource. */
function listReadSteps(context: WriteContext): Step[] {
  const { connection, plan, readPlan, state, needsId, statements } = context
  if (readPlan === undefined) return []
  const read = () =>
    state.id === undefined
      ? connection.readInserted?.(readPlan)
      : connection.read(readPlan, state.id)
  // Whoever writes a resource need not be allowed to read it.
  const readVisible = () =>
    statements.target.access ? ignoreNotFound(read) : readWritten(read, plan.shape)
  return [
    {
      needs: needsId,
      run: () =>
        thenMaybe(readVisible(), (rows) => {
          state.rows = rows
        }),
    },
  ]
}

async function ignoreNotFound<Result>(read: () => Awaitable<Result>): Promise<Result | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}

/** The error for a write after which a resource no longer matches the scope of its type. */
function scopeError(what: string, type: string, pointer: string): BodyError {
  const detail = `The change would make ${what} no longer match the type ${type}.`
  return new BodyError('invalid_value', pointer, detail)
}
