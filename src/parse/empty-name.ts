import type { ErrorCode } from '../errors/codes.ts'
import { ParameterError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { formatParameter } from './other-idioms.ts'

/** Creates the error (400) of a list of names in which one is empty, such as `include=computers,,owner`. */
export function createEmptyNameError(
  code: ErrorCode,
  parameter: string,
  text: string,
): ParameterError {
  const names = text.split(',').filter((name) => /^-?[^.-]+(?:\.[^.]+)*$/.test(name.trim()))
  const remedy =
    names.length === 0
      ? 'leave it out'
      : `send ${formatParameter(parameter, names.join(','))} instead`
  return new ParameterError(
    code,
    parameter,
    `${parameter} contains an empty name: ${quote(text)}; ${remedy}.`,
  )
}
