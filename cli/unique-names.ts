/**
 * Returns the first candidate that was not returned before. If all candidates are used, it appends a number to the last.
 * @param separator - written between the candidate and the number
 */
export type TakeName = (candidates: readonly string[], separator?: string) => string

/**
 * Makes a function that returns each name only once.
 * @param reserved - names that it never returns
 */
export function uniqueNames(reserved: Iterable<string> = []): TakeName {
  const used = new Set(reserved)
  return (candidates, separator = '') => {
    const last = candidates.at(-1) ?? ''
    let name = candidates.find((candidate) => !used.has(candidate))
    for (let number = 2; name === undefined; number += 1) {
      const numbered = `${last}${separator}${number}`
      if (!used.has(numbered)) name = numbered
    }
    used.add(name)
    return name
  }
}
