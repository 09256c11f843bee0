import { NotFoundError } from '../errors/errors.ts'
import type { NotFoundSource } from '../plan/read.ts'

/** The error for a resource in the path that does not exist. */
export function notFoundError({ type, parameter }: NotFoundSource, id = ''): NotFoundError {
  return new NotFoundError(type, id, parameter)
}
