import { BodyError } from '../errors/errors.ts'

/** Creates the error of a body that is larger than `maxBody`. @param maxBytes - the limit */
export function createBodyTooLarge(maxBytes: number): BodyError {
  return new BodyError('body_too_large', '', `A body may have at most ${maxBytes} bytes.`)
}
