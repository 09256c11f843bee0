/** Separators of words: ASCII except letters and digits, Latin-1 signs, general and CJK punctuation. */
const separators =
  /[\0-/:-@[-`{-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u2000-\u206f\u2e00-\u2e7f\u3000-\u303f]+/u

/** Splits a text into words for the operator `match`, with the same result on every database. */
export function splitWords(text: string): string[] {
  return text.split(separators).filter((word) => word !== '')
}
