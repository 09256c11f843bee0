import { BodyError } from '../../errors/errors.ts'

/** Creates the error (422) for a write after which a resource no longer matches the scope of its type. */
export function scopeError(what: string, type: string, pointer: string): BodyError {
  const detail = `The change would make ${what} no longer match the type ${type}.`
  return new BodyError('invalid_value', pointer, detail)
}
