import { ApiError } from '../errors/errors.ts'
import type { Awaitable } from '../model/hooks.ts'
import { AccessDenied, createForbidden } from '../plan/access/access-denied.ts'
import type { Row } from '../plan/row-layout.ts'
import type { WriteShape } from '../plan/write.ts'
import { listColumnNames } from '../plan/written-columns.ts'
import { ConstraintError } from './constraint-error.ts'
import { convertConstraintError, rowConstraintError } from './constraints.ts'
import { findInsertedId } from './inserted-id.ts'
import type { Statements } from './statements.ts'
import { thenMaybe } from './then-maybe.ts'
import type { WriteState, WriteStep } from './write-state.ts'

/** The step that inserts the row. Like the other two, it throws `ApiError` for violated constraints. */
export const insertStep: WriteStep = { needs: [], run: insertRow, convertError: toRowError }

/** The step that inserts the row if the access rules may deny its values. */
export const insertUnlessDeniedStep: WriteStep = {
  needs: [],
  run: insertUnlessDenied,
  convertError: toRowError,
}

/** The step that updates the row. */
export const updateStep: WriteStep = { needs: [], run: updateRow, convertError: toRowError }

function toRowError(error: unknown, { plan, statements }: WriteState): unknown {
  return convertConstraintError(error, (violated) =>
    rowConstraintError(violated, plan, statements.ofType(plan.shape.type).resource),
  )
}

/** Inserts a row. A violated constraint would reveal which other rows are stored, so its error is only thrown to somebody who may create the row. */
async function insertUnlessDenied(state: WriteState): Promise<void> {
  const { connection, plan, id, compiled } = state
  const { deniedInsert } = compiled
  const values = { planValues: plan.values, id }
  // Sent together: the first returns a row if the rule for creates denies the values.
  const [checked, written] = await Promise.allSettled([
    (async () => deniedInsert && connection.all(deniedInsert, values))(),
    (async () => insertRow(state))(),
  ])
  // A value that its column cannot store fails in the first statement that binds it.
  if (checked.status === 'rejected') throw checked.reason
  if (written.status === 'fulfilled') return
  const isDenied = checked.value !== undefined && checked.value.length > 0
  const error = toRowError(written.reason, state)
  throw isDenied && error instanceof ApiError && error.status < 500
    ? createForbidden(new AccessDenied('create', { type: plan.shape.type }))
    : error
}

function insertRow(state: WriteState): Awaitable<void> {
  const { connection, plan, id, statements, compiled } = state
  const { insert } = compiled
  const { shape, values: planValues } = plan
  if (insert === undefined) return undefined
  return thenMaybe(connection.all(insert, { planValues, id }), (rows) => {
    // The columns of a primary key of SQLite may be null.
    if (isIdMissing(rows, shape, statements)) throw missingIdError(shape, statements)
    const found = findInsertedId(connection, rows, { shape, id }, statements)
    return thenMaybe(found, (newId) => {
      state.id = newId
    })
  })
}

function updateRow({ connection, plan, id, compiled }: WriteState): Awaitable<unknown> {
  const { shape, values: planValues } = plan
  if (id === undefined) throw new Error(`An update of ${shape.type} was planned without an id.`)
  const { update } = compiled
  return update && connection.run(update, { planValues, id })
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
