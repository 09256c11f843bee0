import { distance } from 'fastest-levenshtein'

/** How far a typo may lie from the name it was meant to be, in edits; also at most half of its length. */
const farthest = 3

/**
 * Tells the names that would do, the nearest first asked for: the end of a refusal's sentence.
 *
 * @param name - what the client wrote
 * @param names - what would have done; never a name the client may not know of
 * @param label - what the names are, e.g. `fields`
 * @returns `did you mean "ge"?` for a typo, else `the fields are "id", "name".`
 */
export function suggestion(name: string, names: readonly string[], label: string): string {
  const close = nearest(name, names)
  return close !== undefined ? `did you mean "${close}"?` : listing(names, label)
}

/** Tells all the names that would do, where a near one would mislead: the end of a refusal's sentence. */
export function listing(names: readonly string[], label: string): string {
  if (names.length === 0) return `there are no ${label}.`
  return `the ${label} are ${names.map((each) => `"${each}"`).join(', ')}.`
}

/** The name that a typo was most likely meant to be, or `undefined` when none is close. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  if (name.length > 60) return undefined
  const reach = Math.min(farthest, Math.max(1, Math.floor(name.length / 2)))
  const [best] = names
    .map((each) => ({ each, away: distance(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ away }) => away <= reach)
    .sort((one, other) => one.away - other.away)
  return best?.each
}
