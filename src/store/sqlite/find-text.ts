/** Finds a text in another one from a position on, as `indexOf`. */
type FindText = (text: string, position: number) => number

/** The longest overlap with which a naive search takes about linear time. */
const maxOverlap = 8

/**
 * Whether a text overlaps with itself, such as `aaaaaaaaab`: a naive search for it in a text of the same characters takes time in
 * proportion to the product of the lengths. SQLite's GLOB searches naively.
 */
export function overlapsItself(part: string): boolean {
  return computeOverlaps(part).some((overlap) => overlap > maxOverlap)
}

/** Creates the function that finds a text, in linear time for every text: by the algorithm of Knuth, Morris and Pratt if it overlaps. */
export function createFindText(part: string): FindText {
  if (!overlapsItself(part)) return (text, position) => text.indexOf(part, position)
  const overlaps = computeOverlaps(part)
  return (text, position) => {
    let matched = 0
    for (let index = position; index < text.length; index += 1) {
      const code = text.charCodeAt(index)
      while (matched > 0 && part.charCodeAt(matched) !== code) matched = overlaps[matched - 1] ?? 0
      if (part.charCodeAt(matched) === code) matched += 1
      if (matched === part.length) return index - matched + 1
    }
    return -1
  }
}

/** Returns, for each beginning of a text, the length of its longest shorter beginning that is also its end. */
function computeOverlaps(part: string): number[] {
  const overlaps = part === '' ? [] : [0]
  for (let index = 1, matched = 0; index < part.length; index += 1) {
    const code = part.charCodeAt(index)
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = overlaps[matched - 1] ?? 0
    if (part.charCodeAt(matched) === code) matched += 1
    overlaps.push(matched)
  }
  return overlaps
}
