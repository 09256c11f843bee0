import { distance } from 'fastest-levenshtein'

/** The largest edit distance between a typo and the intended name; it is also at most half of the typo's length. */
const maxEdits = 3

/** Returns the name that was most likely meant: the only one that begins so, or the nearest; `undefined` if none is near. */
export function suggestName(typo: string, names: readonly string[]): string | undefined {
  const [begun, ...others] = names.filter((name) => name.startsWith(typo))
  if (begun !== undefined && others.length === 0) return begun
  const limit = Math.min(maxEdits, Math.floor(typo.length / 2))
  const [nearest] = names
    .map((name) => ({ name, edits: distance(typo.toLowerCase(), name.toLowerCase()) }))
    .filter(({ edits }) => edits <= limit)
    .sort((one, other) => one.edits - other.edits)
  return nearest?.name
}
