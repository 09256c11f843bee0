import { decodeNamedCharacterReference } from 'decode-named-character-reference'

/**
 * Decodes the character references of a text, such as `&lt;`, `&#39;` and `&#x27;`, as CommonMark says: an unknown name stays as
 * it is, and a number without a character becomes U+FFFD.
 *
 * @see https://spec.commonmark.org/0.31.2/#entity-and-numeric-character-references
 */
export function decodeCharacterReferences(text: string): string {
  return text.replace(reference, (whole, hex?: string, decimal?: string, name = '') => {
    if (hex !== undefined) return decodeNumber(Number.parseInt(hex, 16))
    if (decimal !== undefined) return decodeNumber(Number(decimal))
    return decodeNamedCharacterReference(name) || whole
  })
}

const reference = /&(?:#[xX]([\dA-Fa-f]{1,6})|#(\d{1,7})|([A-Za-z][\dA-Za-z]*));/g

function decodeNumber(point: number): string {
  const isCharacter = point > 0 && point <= 0x10ffff
  return isCharacter ? String.fromCodePoint(point).toWellFormed() : '\ufffd'
}
