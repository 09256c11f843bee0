import { createEmptyNameError } from './empty-name.ts'

/**
 * Parses `include`: comma-separated relationship paths, whose names are joined by dots. An empty value includes nothing.
 * @returns each distinct path once, as a list of relationship names
 * @throws ParameterError `invalid_include` (400) if a path or a name within a path is empty
 * @see https://jsonapi.org/format/1.0/#fetching-includes
 */
export function parseInclude(text: string): string[][] {
  if (text === '') return []
  return [...new Set(text.split(','))].map((path) => {
    const names = path.split('.')
    if (names.includes('')) throw createEmptyNameError('invalid_include', 'include', text)
    return names
  })
}
