import type { DatabaseSync } from 'node:sqlite'

/** The form in which case no longer counts: Unicode's full mappings, up from down, so that `ß`, `ς` and `K` fold too. */
export function fold(text: string): string {
  return text.toLowerCase().toUpperCase()
}

/**
 * The `like` pattern as one for SQLite's GLOB, which is case-sensitive: `%` becomes `*`, whatever GLOB would
 * understand otherwise stands for itself, and a pattern without any `%` is searched for anywhere.
 */
export function globOf(pattern: string): string {
  const literal = pattern.replace(/[*?[]/g, '[$&]')
  return pattern.includes('%') ? literal.replaceAll('%', '*') : `*${literal}*`
}

/** Whatever stands between words: ASCII but letters and digits, Latin-1 signs, general and CJK punctuation. */
const between =
  /[\0-/:-@[-`{-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u2000-\u206f\u2e00-\u2e7f\u3000-\u303f]+/u

/** The words of a text, case folded. */
export function wordsOf(text: string): string[] {
  return fold(text)
    .split(between)
    .filter((word) => word !== '')
}

/** Whether every one of the words occurs in the text as a word. */
export function matches(text: string, words: string): boolean {
  const present = new Set(wordsOf(text))
  return wordsOf(words).every((word) => present.has(word))
}

/** Gives a connection the functions that SQLite lacks. All are deterministic, and null where an argument is. */
export function addFunctions(database: DatabaseSync): void {
  const options = { deterministic: true, directOnly: true }
  database.function('lapidary_fold', options, (text) => (text === null ? null : fold(String(text))))
  database.function('lapidary_glob', options, (text) =>
    text === null ? null : globOf(String(text)),
  )
  database.function('lapidary_match', options, (text, words) =>
    text === null || words === null ? null : Number(matches(String(text), String(words))),
  )
}
