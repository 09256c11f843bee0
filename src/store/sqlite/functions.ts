import type { DatabaseSync } from 'node:sqlite'
import { canonicalDecimal, decimalKey } from '../../model/decimals.ts'
import { splitWords } from '../../model/split-words.ts'
import { isSqliteValue } from '../../model/sqlite-loads.ts'
import { instantKey, parseStoredInstant, parseStoredTime } from '../../model/times.ts'

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

/** The functions of comparison keys, for values that do not compare as they are stored (`src/model/sqlite-codecs.ts`). */
const comparisonKeys: Readonly<Record<string, (stored: unknown) => string>> = {
  lapidary_decimal: (stored) => decimalKey(canonicalDecimal(String(stored))),
  lapidary_datetime: (stored) => instantKey(parseStoredInstant(stored)),
  lapidary_time: parseStoredTime,
}

/** Whether a codec can load a value that node:sqlite read with integers as bigints. */
function isValid(stored: unknown, codec: string): boolean {
  return isSqliteValue(typeof stored === 'bigint' ? Number(stored) : stored, codec)
}

/**
 * Adds the SQL functions that SQLite lacks. Their names begin with `lapidary_`, by which `statement-cost.ts` finds their calls. All are deterministic, and null if an argument is null.
 * @param matchesPattern - whether a text matches the registered pattern with a number
 * @param matchesLike - whether a text matches a pattern of `like`
 */
export function addFunctions(
  database: DatabaseSync,
  matchesPattern: (text: string, patternNumber: number) => boolean,
  matchesLike: (text: string, pattern: string) => boolean,
): void {
  const options = { deterministic: true, directOnly: true }
  database.function('lapidary_fold', options, (text) =>
    text === null ? null : foldCase(String(text)),
  )
  database.function('lapidary_like', options, (text, pattern) =>
    text === null || pattern === null ? null : Number(matchesLike(String(text), String(pattern))),
  )
  database.function('lapidary_matches', options, (text, number) =>
    text === null || number === null ? null : Number(matchesPattern(String(text), Number(number))),
  )
  database.function('lapidary_after', options, (prefix) =>
    prefix === null ? null : prefixUpperBound(String(prefix)),
  )
  database.function('lapidary_match', options, (text, words) =>
    text === null || words === null ? null : Number(containsWords(String(text), String(words))),
  )
  // An integer beyond 2^53 cannot be passed as a number.
  const isValidOptions = { ...options, useBigIntArguments: true }
  database.function('lapidary_is_valid', isValidOptions, (stored, codec) =>
    stored === null ? null : Number(isValid(stored, String(codec))),
  )
  for (const [name, toKey] of Object.entries(comparisonKeys)) {
    database.function(name, options, (stored) => (stored === null ? null : toKey(stored)))
  }
}
