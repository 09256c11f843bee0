import { createEmptyNameError } from './empty-name.ts'

/**
 * Parses `withCount`: comma-separated names of relationships. An empty value counts nothing.
 * @returns each distinct name once
 * @throws ParameterError `invalid_count` (400) if a name is empty
 * @see https://jsonapi.org/format/1.0/#query-parameters, which allows such a name and says nothing of counts. The name and `meta.count` are
 *   those of Laravel JSON:API. A relationship opts in: a count costs more than an attribute, and tells clients who may not list the
 *   resources how many there are.
 */
export function parseWithCount(text: string): string[] {
  if (text === '') return []
  const names = [...new Set(text.split(','))]
  if (!names.includes('')) return names
  throw createEmptyNameError('invalid_count', 'withCount', text)
}
