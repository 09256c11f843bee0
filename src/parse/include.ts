import { ParameterError } from '../errors/errors.ts'

/**
 * Reads `include`: comma-separated paths of relationship names joined by dots; an empty text means none.
 * @throws ParameterError `invalid_include` (400) when a path or a step of one is empty
 * @see seed §4.1; JSON:API 1.0, Inclusion of Related Resources
 */
export function readInclude(text: string): string[][] {
  if (text === '') return []
  return [...new Set(text.split(','))].map((path) => {
    const steps = path.split('.')
    if (steps.includes('')) {
      throw new ParameterError(
        'invalid_include',
        'include',
        `include holds an empty name, in ${JSON.stringify(text.slice(0, 80))}.`,
      )
    }
    return steps
  })
}
