/** Formats a number with its noun, e.g. `1 row` and `2 rows`. */
export function formatCount(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
