import { constants, type DatabaseSync } from 'node:sqlite'
import { canonicalDecimal, decimalKey } from '../../model/decimals.ts'
import { splitWords } from '../../model/split-words.ts'
import { instantKey, parseStoredInstant, parseStoredTime } from '../../model/times.ts'

/** The form in which case no longer counts: Unicode's full mappings, up from down, so that `ß`, `ς` and `K` fold too. */
export function fold(text: string): string {
  return text.toLowerCase().toUpperCase()
}

/** The last character there is. */
const lastCharacter = 0x10ffff

/**
 * Where texts that start so end: the first value behind them all, by code point. Behind the texts that start with nothing but
 * the last character there is no text; but every BLOB is, in SQLite's order.
 */
export function after(start: string): string | Uint8Array {
  let end = start.length
  while (start.codePointAt(end - 2) === lastCharacter) end -= 2
  const size = (start.codePointAt(end - 2) ?? 0) > 0xffff ? 2 : 1
  const code = start.codePointAt(end - size)
  if (code === undefined) return new Uint8Array()
  // Surrogates are no characters.
  return start.slice(0, end - size) + String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1)
}

/** The words of a text, case folded. */
export function wordsOf(text: string): string[] {
  return splitWords(fold(text))
}

/** Whether every one of the words occurs in the text as a word. */
function hasWords(text: string, words: string): boolean {
  const present = new Set(wordsOf(text))
  return wordsOf(words).every((word) => present.has(word))
}

/** The keys of stored values that do not compare by themselves; `src/model/sqlite-codecs.ts` has their counterparts. */
const keys: Readonly<Record<string, (stored: unknown) => string>> = {
  lapidary_decimal: (stored) => decimalKey(canonicalDecimal(String(stored))),
  lapidary_datetime: (stored) => instantKey(parseStoredInstant(stored)),
  lapidary_time: parseStoredTime,
}

/**
 * Gives a connection the functions that SQLite lacks. All are deterministic, and null where an argument is.
 * @param matches - whether a text matches the pattern that has a number
 * @param isLike - whether a text is of a pattern's form
 */
export function addFunctions(
  database: DatabaseSync,
  matches: (text: string, number: number) => boolean,
  isLike: (text: string, pattern: string) => boolean,
): void {
  const options = { deterministic: true, directOnly: true }
  database.function('lapidary_fold', options, (text) => (text === null ? null : fold(String(text))))
  database.function('lapidary_like', options, (text, pattern) =>
    text === null || pattern === null ? null : Number(isLike(String(text), String(pattern))),
  )
  database.function('lapidary_matches', options, (text, number) =>
    text === null || number === null ? null : Number(matches(String(text), Number(number))),
  )
  database.function('lapidary_after', options, (start) =>
    start === null ? null : after(String(start)),
  )
  database.function('lapidary_match', options, (text, words) =>
    text === null || words === null ? null : Number(hasWords(String(text), String(words))),
  )
  for (const [name, key] of Object.entries(keys)) {
    database.function(name, options, (stored) => (stored === null ? null : key(stored)))
  }
}

/** SQLite's functions that may give something else while the tables stay as they are. */
// biome-ignore format: a list
const fleeting = new Set<string | null>([
  'current_date', 'current_time', 'current_timestamp', 'date', 'time', 'datetime', 'julianday', 'strftime', 'timediff', 'unixepoch',
  'random', 'randomblob', 'changes', 'total_changes', 'last_insert_rowid',
])

/** Has a connection tell of each statement it prepares that calls one of them, be it in a view. */
export function noticeFleeting(database: DatabaseSync, notice: () => void): void {
  database.setAuthorizer((action, _, name) => {
    if (action === constants.SQLITE_FUNCTION && fleeting.has(name)) notice()
    return constants.SQLITE_OK
  })
}
