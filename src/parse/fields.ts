import { type ErrorCollector, report } from '../errors/collector.ts'
import { createEmptyNameError } from './empty-name.ts'

/**
 * Parses `fields[type]`: comma-separated field names. An empty value selects no fields.
 * @param parameter - the name of the parameter with its brackets, e.g. `fields[person]`
 * @param errors - receives `invalid_fields` (400) if a name is empty
 * @returns the names, or `undefined` if a name is empty
 * @see https://jsonapi.org/format/1.0/#fetching-sparse-fieldsets
 */
export function parseFields(
  parameter: string,
  text: string,
  errors: ErrorCollector,
): string[] | undefined {
  if (text === '') return []
  const names = text.split(',')
  if (!names.includes('')) return names
  return report(errors, () => createEmptyNameError('invalid_fields', parameter, text))
}
