import { createEmptyNameError } from './empty-name.ts'

/**
 * Parses `withCount`: comma-separated names of relationships. An empty value counts nothing.
 * @returns each distinct name once
 * @throws ParameterError `invalid_count` (400) if a name is empty
 * @see https://jsonapi.org/format/1.0/#query-parameters and `docs/decisions/0065`
 */
export function parseWithCount(text: string): string[] {
  if (text === '') return []
  const names = [...new Set(text.split(','))]
  if (!names.includes('')) return names
  throw createEmptyNameError('invalid_count', 'withCount', text)
}
