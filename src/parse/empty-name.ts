import type { ErrorCode } from '../errors/codes.ts'
import { ParameterError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'

/** Creates the error (400) of a list of names in which one is empty, such as `include=computers,,owner`. */
export function createEmptyNameError(
  code: ErrorCode,
  parameter: string,
  text: string,
): ParameterError {
  return new ParameterError(code, parameter, `${parameter} contains an empty name: ${quote(text)}.`)
}
