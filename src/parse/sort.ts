import { ParameterError } from '../errors/errors.ts'

/** One name of a `sort` parameter: relationships to walk, then the field. */
export interface SortTerm {
  readonly path: readonly [string, ...string[]]
  readonly descending: boolean
}

/**
 * Reads `sort`: comma-separated names, `-` for descending, the order of names is the order of precedence.
 * @throws ParameterError `invalid_sort` (400) when a name is empty
 * @see seed §4.1; JSON:API 1.0, Sorting
 */
export function readSort(text: string): SortTerm[] {
  // A term that comes again changes nothing.
  return [...new Set(text.split(','))].map((word) => {
    const descending = word.startsWith('-')
    const name = descending ? word.slice(1) : word
    const [first = '', ...rest] = name.split('.')
    if ([first, ...rest].includes('')) {
      throw new ParameterError(
        'invalid_sort',
        'sort',
        `sort holds an empty name, in ${JSON.stringify(text.slice(0, 80))}.`,
      )
    }
    return { path: [first, ...rest], descending }
  })
}
