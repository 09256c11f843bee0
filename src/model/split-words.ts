/** Whatever stands between words: ASCII but letters and digits, Latin-1 signs, general and CJK punctuation. */
const betweenWords =
  /[\0-/:-@[-`{-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u2000-\u206f\u2e00-\u2e7f\u3000-\u303f]+/u

/** The words of a text, as every database that `match` runs on finds them. */
export function splitWords(text: string): string[] {
  return text.split(betweenWords).filter((word) => word !== '')
}
