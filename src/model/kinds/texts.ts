import { findNearest } from '../../errors/suggestion.ts'
import type { ReadResult } from './value-result.ts'

/** Reads a string that every database can store. */
export function readString(json: unknown): ReadResult<string> {
  if (typeof json !== 'string') return { expected: 'a string' }
  const violation = findTextViolation(json)
  return violation === undefined ? { value: json } : { expected: `a string ${violation}` }
}

/**
 * Returns the rule that keeps a string from being stored unchanged, as the end of the sentence "must be a string …", or
 * `undefined`. PostgreSQL cannot store U+0000, and a lone surrogate has no UTF-8 encoding.
 */
export function findTextViolation(text: string): string | undefined {
  if (text.includes('\0')) return 'without the character U+0000'
  return text.isWellFormed() ? undefined : 'of whole Unicode characters'
}

/** A valid e-mail address by https://html.spec.whatwg.org/#valid-e-mail-address */
const emailAddress =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

/** The maximum length of an e-mail address (RFC 5321 §4.5.3.1.3, without the brackets). */
export const maxEmailLength = 254

/** Reads an e-mail address. */
export function readEmail(json: unknown): ReadResult<string> {
  if (typeof json === 'string' && json.length <= maxEmailLength && emailAddress.test(json)) {
    return { value: json }
  }
  return { expected: 'an e-mail address' }
}

/** A regular expression for the start of an absolute URL: a scheme and the first character of a host. */
export const urlPattern = '^[A-Za-z][A-Za-z0-9+.\\-]*:\\/\\/[^\\s\\/?#]'

const startsLikeUrl = new RegExp(urlPattern, 'u')

/** Reads an absolute URL with a host, by the WHATWG's URL Standard. Keeps its spelling. */
export function readUrl(json: unknown): ReadResult<string> {
  const failure = { expected: 'an absolute URL, such as "https://example.org/"' }
  if (typeof json !== 'string' || findTextViolation(json) !== undefined) return failure
  if (!startsLikeUrl.test(json) || /[\s\p{Cc}]/u.test(json)) return failure
  return URL.canParse(json) && new URL(json).host !== '' ? { value: json } : failure
}

const uuidText = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Reads a UUID of any version in the text format of RFC 9562 §4, in lower or upper case. Converts it to lower case. */
export function readUuid(json: unknown): ReadResult<string> {
  if (typeof json === 'string' && uuidText.test(json)) return { value: json.toLowerCase() }
  return { expected: 'a UUID, such as "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"' }
}

/** Creates a function that reads one of several strings. */
export function createEnumReader<Value extends string>(
  values: readonly Value[],
): (json: unknown) => ReadResult<Value> {
  const byText: ReadonlyMap<unknown, Value> = new Map(values.map((value) => [value, value]))
  const expected = `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`
  return (json) => {
    const value = byText.get(json)
    if (value !== undefined) return { value }
    const nearest = typeof json === 'string' ? findNearest(json, values) : undefined
    if (nearest === undefined) return { expected }
    return { expected: `${expected} (did you mean ${JSON.stringify(nearest)}?)` }
  }
}

/** Reads bytes in canonical base64: padded, on one line, unused bits zero (RFC 4648 §4). */
export function readBytes(json: unknown): ReadResult<string> {
  // Node's decoder skips invalid characters, so only canonical base64 survives the round trip.
  if (typeof json === 'string' && Buffer.from(json, 'base64').toString('base64') === json) {
    return { value: json }
  }
  return { expected: 'bytes in padded base64, such as "AAEC/w=="' }
}

/** Copies a text into one block of memory. V8 keeps a concatenation as a tree, which costs more each time the text is copied. */
export function flattenText(text: string): string {
  return JSON.parse(JSON.stringify(text))
}

/** Separators of words: ASCII except letters and digits, Latin-1 signs, general and CJK punctuation. */
const separators =
  /[\0-/:-@[-`{-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u2000-\u206f\u2e00-\u2e7f\u3000-\u303f]+/u

/** Splits a text into words for the operator `match`, with the same result on every database. */
export function splitWords(text: string): string[] {
  return text.split(separators).filter((word) => word !== '')
}
