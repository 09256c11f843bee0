import { createEmptyNameError } from './empty-name.ts'

/** One term of a `sort` parameter: a path of relationship names that ends with a field name. */
export interface SortTerm {
  readonly path: readonly [string, ...string[]]
  readonly descending: boolean
}

/**
 * Parses `sort`: comma-separated terms in order of precedence. A leading `-` means descending.
 * @returns each distinct term once: a repeated term does not change the order
 * @throws ParameterError `invalid_sort` (400) if a name is empty
 * @see https://jsonapi.org/format/1.0/#fetching-sorting
 */
export function parseSort(text: string): SortTerm[] {
  return [...new Set(text.split(','))].map((term) => {
    const descending = term.startsWith('-')
    const name = descending ? term.slice(1) : term
    const [first = '', ...rest] = name.split('.')
    if ([first, ...rest].includes('')) throw createEmptyNameError('invalid_sort', 'sort', text)
    return { path: [first, ...rest], descending }
  })
}
