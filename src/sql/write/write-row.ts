import { ApiError, BodyError } from '../../errors/errors.ts'
import { quote } from '../../errors/quote.ts'
import type { Awaitable } from '../../model/declare/hooks.ts'
import { AccessDenied, createForbidden } from '../../plan/access/access-denied.ts'
import type { Row } from '../../plan/row-layout.ts'
import type { WritePlan, WriteShape } from '../../plan/write.ts'
import { listColumnNames } from '../../plan/written-columns.ts'
import type { DeniedWrite } from '../access/denied-write.ts'
import { ConstraintError, notStoredError, scopeError } from '../errors.ts'
import type { Statements } from '../statements.ts'
import { thenMaybe } from '../then-maybe.ts'
import { convertConstraintError, rowConstraintError } from './constraints.ts'
import type { WriteConnection } from './write-connection.ts'
import type { WriteState, WriteStep } from './write-state.ts'

/** The step that inserts the row. Like the other two, it throws `ApiError` for violated constraints. */
export const insertStep: WriteStep = { needs: [], run: insertRow, convertError: toRowError }

/** The step that inserts or updates the row if the tenant, the scope or the access rules may deny its values. */
export const writeUnlessDeniedStep: WriteStep = {
  needs: [],
  run: writeUnlessDenied,
  convertError: toRowError,
}

/** The step that updates the row. */
export const updateStep: WriteStep = { needs: [], run: updateRow, convertError: toRowError }

/**
 * The step that updates a row which was not locked before, if it has a version that the request demands.
 * It throws `UnclearError` if it updated none, and for a value that its column rejects: whether the row exists is more important.
 */
export const updateAtOnceStep: WriteStep = {
  needs: [],
  run: (state) =>
    thenMaybe(updateAtOnce(state), (count) => {
      if (count === 0) throw new UnclearError('No row was updated.')
    }),
  convertError: (error, state) =>
    error instanceof ConstraintError && error.is === 'type'
      ? new UnclearError('The row was not looked up before its update failed.', { cause: error })
      : toRowError(error, state),
}

/** A write changed nothing before it was known which of its errors is the first one. Written in steps, it says so. */
export class UnclearError extends Error {}

function toRowError(error: unknown, { plan, statements }: WriteState): unknown {
  return convertConstraintError(error, (violated) =>
    rowConstraintError(violated, plan, statements.ofType(plan.shape.type).resource),
  )
}

/**
 * Writes a row. A violated constraint would reveal which other rows are stored, so its error is only thrown to somebody who may write the
 * row. Without one, the scope and the rules are checked on the stored row. The id, or another value that was sent, decides the tenant.
 */
async function writeUnlessDenied(state: WriteState): Promise<void> {
  const { connection, plan, id, compiled } = state
  const denied = compiled.denied.filter(({ by }) => isChecked(by, state))
  const values = { planValues: plan.values, id }
  // Sent together: each of the first returns a row if it denies the values.
  const [checked, written] = await Promise.allSettled([
    Promise.all(denied.map(async ({ statement }) => connection.all(statement, values))),
    (async () => (compiled.insert ? insertRow(state) : updateRow(state)))(),
  ])
  // A value that its column cannot store fails in the first statement that binds it.
  if (checked.status === 'rejected') throw checked.reason
  const by = denied.find((_, index) => (checked.value[index]?.length ?? 0) > 0)?.by
  if (by === 'tenant') throw createTenantError(state)
  if (written.status === 'fulfilled') return
  const error = toRowError(written.reason, state)
  const isKnown = error instanceof ApiError && error.status < 500
  throw by !== undefined && isKnown ? createDeniedError(by, state) : error
}

/** Whether something may deny a write: what hooks write has no rules, and may leave the scope. */
function isChecked(by: DeniedWrite['by'], state: WriteState): boolean {
  const { plan, mayLeaveScope, compiled, statements } = state
  if (by !== 'rule') return !mayLeaveScope
  const operation = compiled.insert ? 'create' : 'update'
  return plan.operation === operation && statements.checks?.(plan)?.own === operation
}

function createDeniedError(by: 'scope' | 'rule', { plan, compiled, id }: WriteState): ApiError {
  const { type } = plan.shape
  if (by === 'scope') return scopeError('this resource', type, '/data')
  const denied = compiled.insert
    ? new AccessDenied('create', { type })
    : new AccessDenied('update', { type, id })
  return createForbidden(denied)
}

/** The same error whether another tenant has such a row or not. */
function createTenantError({ plan, compiled }: WriteState): ApiError {
  const { shape, id } = plan
  const { type } = shape
  const operation = compiled.insert ? 'create' : 'update'
  const cause = new AccessDenied(operation, { type, id, rule: 'tenant' })
  const isOfId = compiled.insert !== undefined && id !== undefined
  const which = isOfId ? `with the id ${quote(id)}` : 'with these values'
  const detail = `You cannot ${operation} a resource of type ${type} ${which}, because it would belong to another tenant.`
  return new BodyError('forbidden', isOfId ? '/data/id' : '/data', detail, { cause })
}

function insertRow(state: WriteState): Awaitable<void> {
  const { connection, plan, id, statements, compiled } = state
  const { insert } = compiled
  const { shape, values: planValues } = plan
  if (insert === undefined) return undefined
  return thenMaybe(connection.all(insert, { planValues, id }), (rows) => {
    // The columns of a primary key of SQLite may be null.
    if (isIdMissing(rows, shape, statements)) throw missingIdError(shape, statements)
    if (compiled.returned) state.returned = firstRow(rows)
    const found = findInsertedId(connection, rows, { shape, id }, statements)
    return thenMaybe(found, (newId) => {
      state.id = newId
    })
  })
}

function updateAtOnce(state: WriteState): Awaitable<unknown> {
  const { updateAtOnce, updateIfVersion } = state.compiled
  return updateRow(state, state.plan.condition ? updateIfVersion : updateAtOnce)
}

/** @returns the number of changed rows */
function updateRow(state: WriteState, update = state.compiled.update): Awaitable<unknown> {
  const { connection, plan, id, compiled } = state
  const { shape, values: planValues, condition } = plan
  if (id === undefined) throw new Error(`An update of ${shape.type} was planned without an id.`)
  if (update === undefined) return undefined
  const values = { planValues, id, versions: condition?.digests }
  if (compiled.returned === undefined) return connection.run(update, values)
  return thenMaybe(connection.all(update, values), (rows) => {
    state.returned = firstRow(rows)
    return rows.length
  })
}

/** Returns the row that a statement has returned. No other code has a reference to it, so its values can be replaced in place. */
function firstRow(rows: readonly Row[]): unknown[] | undefined {
  return (rows as unknown[][])[0]
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

/**
 * Finds the id of a new row. A trigger may have dropped the row or changed its id, and a rule or the trigger of a view may have
 * stored it without returning it.
 * @param rows - what the insert returned
 * @throws BodyError `not_stored` (409)
 */
function findInsertedId(
  connection: WriteConnection,
  rows: readonly Row[],
  { shape, id }: Readonly<{ shape: WritePlan['shape']; id: string | undefined }>,
  statements: Statements,
): Awaitable<string> {
  const { insertedId, returnsStoredId } = statements.write(shape)
  const [[returned] = []] = rows
  if (returnsStoredId && hasId(returned)) return `${returned}`
  const known = [id, returned].find(hasId)
  const findKnown = (): Awaitable<readonly Row[]> =>
    known === undefined
      ? []
      : connection.all(statements.ofType(shape.type).lookup, { planValues: [], ids: [`${known}`] })
  const last: Awaitable<readonly Row[]> = insertedId
    ? connection.all(insertedId, { planValues: [] })
    : []
  const found = thenMaybe<readonly Row[], readonly Row[]>(last, (stored) =>
    hasId(stored[0]?.[0]) ? stored : findKnown(),
  )
  return thenMaybe(found, (rows) => {
    const newId = rows[0]?.[0]
    if (!hasId(newId)) throw notStoredError(shape)
    return `${newId}`
  })
}

/** Whether a row has an id. PostgreSQL retains an id that is null as an empty text. */
function hasId(id: unknown): boolean {
  return id !== null && id !== undefined && id !== ''
}
