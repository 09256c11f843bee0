/**
 * Orders two texts by code point, the shorter first when one begins the other.
 *
 * JavaScript's own `<` compares UTF-16 units and so puts U+1F600 before U+FF61.
 */
export function compareText(left: string, right: string): number {
  const lefts = Array.from(left, codePoint)
  const rights = Array.from(right, codePoint)
  for (const [place, one] of lefts.entries()) {
    const other = rights[place]
    if (other === undefined) return 1
    if (one !== other) return one - other
  }
  return lefts.length - rights.length
}

/** Folds the case of a text: by the full mappings of Unicode, to lower and then to upper case. */
export function fold(text: string): string {
  return text.toLowerCase().toUpperCase()
}

/**
 * Whether a text matches a `like` pattern, with case. The only wildcard is `%`, any text or none. A pattern without it matches
 * at any position.
 */
export function isLike(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('%')
  const last = rest.pop()
  if (last === undefined) return text.includes(pattern)
  if (!text.startsWith(first)) return false
  let from = first.length
  for (const part of rest) {
    const at = text.indexOf(part, from)
    if (at < 0) return false
    from = at + part.length
  }
  return text.length - last.length >= from && text.endsWith(last)
}

/** The code points above U+007F that separate words, as the first and the last of each range. */
const between = [
  [0x80, 0xa9],
  [0xab, 0xb4],
  [0xb6, 0xb9],
  [0xbb, 0xbf],
  [0xd7, 0xd7],
  [0xf7, 0xf7],
  [0x2000, 0x206f],
  [0x2e00, 0x2e7f],
  [0x3000, 0x303f],
] as const

/** The words of a text, folded, in order. Punctuation and spaces separate them. */
export function words(text: string): string[] {
  const spaced = Array.from(text, (character) => (isBetweenWords(character) ? ' ' : character))
  return fold(spaced.join(''))
    .split(' ')
    .filter((word) => word !== '')
}

/** Whether every word of the value is a word of the text. */
export function isMatch(text: string, value: string): boolean {
  const present = new Set(words(text))
  return words(value).every((word) => present.has(word))
}

function isBetweenWords(character: string): boolean {
  const point = codePoint(character)
  if (point < 0x80) return !/[0-9A-Za-z]/.test(character)
  return between.some(([first, last]) => first <= point && point <= last)
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0
}
