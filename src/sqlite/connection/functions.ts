import type { DatabaseSync } from 'node:sqlite'
import { canonicalDecimal, decimalKey } from '../../model/kinds/decimals.ts'
import { splitWords } from '../../model/kinds/texts.ts'
import { instantKey, parseStoredInstant, parseStoredTime } from '../../model/kinds/times.ts'
import { isSqliteValue } from '../loads.ts'

/** Folds case by Unicode's full mappings: lower case, then upper case, so that `ß`, `ς` and `K` fold too. */
export function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase()
}

/** The highest code point. */
const maxCodePoint = 0x10ffff

/**
 * Returns the exclusive upper bound of the texts with a prefix, in the order of code points. A prefix of nothing but the
 * highest code point has no such text; its bound is the empty BLOB, which SQLite sorts after every text.
 */
export function prefixUpperBound(prefix: string): string | Uint8Array {
  let end = prefix.length
  while (prefix.codePointAt(end - 2) === maxCodePoint) end -= 2
  const size = (prefix.codePointAt(end - 2) ?? 0) > 0xffff ? 2 : 1
  const codePoint = prefix.codePointAt(end - size)
  if (codePoint === undefined) return new Uint8Array()
  // No text contains a surrogate.
  const next = codePoint === 0xd7ff ? 0xe000 : codePoint + 1
  return prefix.slice(0, end - size) + String.fromCodePoint(next)
}

/** Splits a text into words and folds their case. */
export function splitFoldedWords(text: string): string[] {
  return splitWords(foldCase(text))
}

/** Whether a text contains every word of another text. */
function containsWords(text: string, words: string): boolean {
  const present = new Set(splitFoldedWords(text))
  return splitFoldedWords(words).every((word) => present.has(word))
}

/** The functions of comparison keys, for values that do not compare as they are stored (`codecs.ts`). */
const comparisonKeys: Readonly<Record<string, (stored: unknown) => string>> = {
  lapidary_decimal: (stored) => decimalKey(canonicalDecimal(String(stored))),
  lapidary_datetime: (stored) => instantKey(parseStoredInstant(stored)),
  lapidary_time: parseStoredTime,
}

/** The functions that compare a text with another one. */
const comparisons = ['lapidary_like', 'lapidary_match', 'lapidary_matches'] as const

/** The functions whose duration depends on the length of a stored text. */
export const searchFunctions: readonly string[] = [
  ...Object.keys(comparisonKeys),
  ...comparisons,
  'lapidary_fold',
]

/** Whether a codec can load a value that node:sqlite read with integers as bigints. */
function isValid(stored: unknown, codec: string): boolean {
  return isSqliteValue(typeof stored === 'bigint' ? Number(stored) : stored, codec)
}

/** What the SQL functions call. */
interface FunctionContext {
  /** Whether a text matches the registered pattern with a number. */
  matchesPattern(text: string, patternNumber: number): boolean
  /** Whether a text matches a pattern of `like`. */
  matchesLike(text: string, pattern: string): boolean
  /** Called before each search in a text. An error that it throws ends the statement. */
  countSearch(text: string): void
}

const functionOptions = { deterministic: true, directOnly: true }

/** Adds the SQL functions that SQLite lacks. All are deterministic, and null if an argument is null. */
export function addFunctions(database: DatabaseSync, context: FunctionContext): void {
  addSearches(database, context)
  database.function('lapidary_after', functionOptions, (prefix) =>
    prefix === null ? null : prefixUpperBound(String(prefix)),
  )
  // An integer beyond 2^53 cannot be passed as a number.
  const isValidOptions = { ...functionOptions, useBigIntArguments: true }
  database.function('lapidary_is_valid', isValidOptions, (stored, codec) =>
    stored === null ? null : Number(isValid(stored, String(codec))),
  )
  for (const [name, toKey] of Object.entries(comparisonKeys)) {
    database.function(name, functionOptions, (stored) => (stored === null ? null : toKey(stored)))
  }
}

/** Adds the functions that search in a text. */
function addSearches(
  database: DatabaseSync,
  { matchesPattern, matchesLike, countSearch }: FunctionContext,
): void {
  type Comparison = (text: string, wanted: unknown) => boolean
  const matchers: Readonly<Record<(typeof comparisons)[number], Comparison>> = {
    lapidary_like: (text, pattern) => matchesLike(text, String(pattern)),
    lapidary_match: (text, words) => containsWords(text, String(words)),
    lapidary_matches: (text, number) => matchesPattern(text, Number(number)),
  }
  for (const [name, matches] of Object.entries(matchers))
    database.function(name, functionOptions, (value, wanted) => {
      if (value === null || wanted === null) return null
      const text = String(value)
      countSearch(text)
      return Number(matches(text, wanted))
    })
  database.function('lapidary_fold', functionOptions, (value) => {
    if (value === null) return null
    const text = String(value)
    countSearch(text)
    return foldCase(text)
  })
}
