import { BodyError, NotFoundError } from '../errors/errors.ts'
import type { Awaitable } from '../model/hooks.ts'
import type { WriteShape } from '../plan/write.ts'

/**
 * Creates the error (409) for a row that cannot be read after it was written: a trigger or a rule of the database dropped or moved
 * it, or did not set its id.
 */
export function notStoredError({ type }: Pick<WriteShape, 'type'>): BodyError {
  const detail = `The database did not store this ${type}: a trigger or a rule dropped it, or gave it no id. Nothing was changed.`
  return new BodyError('not_stored', '/data', detail)
}

/** Reads a row that was written. @throws BodyError `not_stored` (409) if it does not exist */
export function readWritten<Result>(
  read: () => Awaitable<Result>,
  shape: Pick<WriteShape, 'type'>,
): Awaitable<Result> {
  const rethrow = (error: unknown): never => {
    throw error instanceof NotFoundError ? notStoredError(shape) : error
  }
  try {
    const rows = read()
    return rows instanceof Promise ? rows.catch(rethrow) : rows
  } catch (error) {
    return rethrow(error)
  }
}
