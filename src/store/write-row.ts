import type { Awaitable } from '../model/hooks.ts'
import { listColumnNames } from '../plan/field-values.ts'
import type { Row } from '../plan/row-layout.ts'
import type { WriteShape } from '../plan/write.ts'
import { ConstraintError, reportConstraintErrors, rowConstraintError } from './constraints.ts'
import { findInsertedId } from './inserted-id.ts'
import type { Statement } from './statement.ts'
import type { Statements } from './statements.ts'
import { thenMaybe } from './then-maybe.ts'
import type { WriteState, WriteStep } from './write-state.ts'

/** The step that inserts or updates the row. It throws `ApiError` for violated constraints. */
export const writeRow: WriteStep = { needs: [], run: executeRow }

function executeRow(state: WriteState): Awaitable<unknown> {
  const { compiled, plan, statements } = state
  return reportConstraintErrors(
    () => (compiled.insert ? insertRow(state, compiled.insert) : updateRow(state)),
    (error) => rowConstraintError(error, plan, statements.ofType(plan.shape.type).resource),
  )
}

function insertRow(state: WriteState, insert: Statement): Awaitable<void> {
  const { connection, plan, id, statements } = state
  const { shape, values: planValues } = plan
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
