import { BodyError, NotFoundError } from '../../errors/errors.ts'
import type { WriteShape } from '../../plan/write.ts'

/**
 * Creates the error (409) for a row that cannot be read after it was written: a trigger or a rule of the database dropped or moved
 * it, or did not set its id. A client that got 201 would link to nothing. An update that a
 * trigger drops is no error: PostgreSQL itself has a trigger that drops updates without a change.
 */
export function notStoredError({ type }: Pick<WriteShape, 'type'>): BodyError {
  const detail = `The database did not store this resource of type ${type}: a trigger or a rule dropped it, or gave it no id. Nothing was changed.`
  return new BodyError('not_stored', '/data', detail)
}

/** Converts the error of the read of a row that was written: a row that does not exist was not stored. */
export function toNotStoredError(error: unknown, shape: Pick<WriteShape, 'type'>): unknown {
  return error instanceof NotFoundError ? notStoredError(shape) : error
}
