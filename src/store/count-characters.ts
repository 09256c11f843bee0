/** Returns the number of characters in the texts of a row: streams limit the size of a batch by it. */
export function countCharacters(row: readonly unknown[]): number {
  let characters = 0
  for (const value of row) if (typeof value === 'string') characters += value.length
  return characters
}
