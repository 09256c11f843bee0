/** What SQLite may make of values that are stored in a column: its affinity (sqlite.org/datatype3.html §3). */
export type Affinity = 'text' | 'numeric' | 'integer' | 'real' | 'blob'

/** The words of a column's type that settle its affinity, those before others first (§3.1). */
const words: readonly (readonly [word: RegExp, affinity: Affinity])[] = [
  [/int/i, 'integer'],
  [/char|clob|text/i, 'text'],
  [/blob|^$/i, 'blob'],
  [/real|floa|doub/i, 'real'],
]

/** The affinity of a column declared with a type, which may be empty. */
export function readAffinity(columnType: string): Affinity {
  return words.find(([word]) => word.test(columnType))?.[1] ?? 'numeric'
}

/**
 * Makes the test whether a column declared with a type is of one of the affinities. A column without a type, as those of
 * views mostly are, changes no value, so it suits all.
 */
export function hasAffinity(...affinities: readonly Affinity[]): (columnType: string) => boolean {
  return (columnType) => columnType === '' || affinities.includes(readAffinity(columnType))
}
