/** The affinity of a SQLite column: how SQLite may convert the values stored in it. See https://sqlite.org/datatype3.html §3. */
export type Affinity = 'text' | 'numeric' | 'integer' | 'real' | 'blob'

/** Substrings of a column type and the affinity that they determine; earlier rows win (§3.1). */
const rules: readonly (readonly [substring: RegExp, affinity: Affinity])[] = [
  [/int/i, 'integer'],
  [/char|clob|text/i, 'text'],
  [/blob|^$/i, 'blob'],
  [/real|floa|doub/i, 'real'],
]

/** Returns the affinity of a column by its declared type, which may be empty. */
export function getAffinity(columnType: string): Affinity {
  return rules.find(([substring]) => substring.test(columnType))?.[1] ?? 'numeric'
}

/**
 * Creates a predicate: true for columns with one of the affinities. A column without a type, common in views, converts
 * nothing, so the predicate is always true for it.
 */
export function hasAffinity(...affinities: readonly Affinity[]): (columnType: string) => boolean {
  return (columnType) => columnType === '' || affinities.includes(getAffinity(columnType))
}

/**
 * Whether a type has integer affinity only because `int` is a part of another word in its name, as in `POINT` and `INTERVAL`. Columns of
 * such types rarely contain integers.
 */
export function isIntegerByAccident(columnType: string): boolean {
  return (
    getAffinity(columnType) === 'integer' &&
    !/\b(?:tiny|small|medium|big)?int(?:eger)?\d*\b/i.test(columnType)
  )
}
