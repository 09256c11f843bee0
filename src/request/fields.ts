import { ParameterError } from '../errors/errors.ts'

/**
 * Reads `fields[type]`: comma-separated field names; an empty text means no fields.
 * @param parameter - the whole name, e.g. `fields[person]`, for the refusal
 * @throws ParameterError `invalid_fields` (400) when a name is empty
 * @see seed §4.1; JSON:API 1.0, Sparse Fieldsets
 */
export function readFields(parameter: string, text: string): string[] {
  if (text === '') return []
  const names = text.split(',')
  if (names.includes('')) {
    throw new ParameterError(
      'invalid_fields',
      parameter,
      `${parameter} holds an empty name, in ${JSON.stringify(text.slice(0, 80))}.`,
    )
  }
  return names
}
