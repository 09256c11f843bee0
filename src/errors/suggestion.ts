import { distance } from 'fastest-levenshtein'
import { quoteNames } from './quote.ts'

/** The largest edit distance between a typo and the intended name; it is also at most half of the typo's length. */
const maxEdits = 3

/**
 * Suggests valid names in place of an unknown one, as the end of an error's sentence.
 *
 * @param name - the unknown name
 * @param names - the valid names; only those that the client may know
 * @param label - the plural noun for the names, e.g. `fields`
 * @returns `did you mean "ge"?` for a typo, else `the fields are "id", "name".`
 */
export function suggest(name: string, names: readonly string[], label: string): string {
  const nearest = findNearest(name, names)
  return nearest !== undefined ? `did you mean "${nearest}"?` : listNames(names, label)
}

/** Lists all valid names as the end of an error's sentence, where suggesting one of them would mislead. */
export function listNames(names: readonly string[], label: string): string {
  if (names.length === 0) return `there are no ${label}.`
  return `the ${label} are ${quoteNames(names)}.`
}

/** Returns the name that was most likely meant, or `undefined` if none is near. */
export function findNearest(name: string, names: readonly string[]): string | undefined {
  if (name.length > 60) return undefined
  const limit = Math.min(maxEdits, Math.max(1, Math.floor(name.length / 2)))
  const [nearest] = names
    .map((candidate) => ({
      candidate,
      edits: distance(name.toLowerCase(), candidate.toLowerCase()),
    }))
    .filter(({ edits }) => edits <= limit)
    .sort((one, other) => one.edits - other.edits)
  return nearest?.candidate
}
