import { ParameterError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'

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
  const detail = `withCount contains an empty name: ${quote(text)}.`
  throw new ParameterError('invalid_count', 'withCount', detail)
}
