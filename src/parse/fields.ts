import { type ErrorCollector, report } from '../errors/collector.ts'
import { ParameterError } from '../errors/errors.ts'

/**
 * Reads `fields[type]`: comma-separated field names; an empty text means no fields.
 * @param parameter - the whole name, e.g. `fields[person]`, for the refusal
 * @param errors - gets `invalid_fields` (400) when a name is empty
 * @returns `undefined` then
 * @see seed §4.1; JSON:API 1.0, Sparse Fieldsets
 */
export function readFields(
  parameter: string,
  text: string,
  errors: ErrorCollector,
): string[] | undefined {
  if (text === '') return []
  const names = text.split(',')
  if (!names.includes('')) return names
  return report(errors, () => {
    const detail = `${parameter} holds an empty name, in ${JSON.stringify(text.slice(0, 80))}.`
    return new ParameterError('invalid_fields', parameter, detail)
  })
}
