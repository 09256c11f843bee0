import { findNearest } from '../errors/suggestion.ts'
import type { ReadResult } from './read-result.ts'

/** Reads any text that every database can keep. */
export function readString(json: unknown): ReadResult<string> {
  if (typeof json !== 'string') return { expected: 'a string' }
  const fault = findTextViolation(json)
  return fault === undefined ? { value: json } : { expected: `a string ${fault}` }
}

/**
 * What keeps a text from being stored and told as it is, or `undefined`: PostgreSQL cannot store U+0000, and a lone
 * surrogate has no UTF-8. Neither may be changed silently.
 */
export function findTextViolation(text: string): string | undefined {
  if (text.includes('\0')) return 'without the character U+0000'
  return text.isWellFormed() ? undefined : 'of whole Unicode characters'
}

/** The WHATWG's definition of a valid e-mail address (HTML, "valid email address"). */
const emailAddress =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

/** The longest e-mail address there is (RFC 5321 §4.5.3.1.3, less the brackets). */
export const maxEmailLength = 254

/** Reads an e-mail address. */
export function readEmail(json: unknown): ReadResult<string> {
  if (typeof json === 'string' && json.length <= maxEmailLength && emailAddress.test(json)) {
    return { value: json }
  }
  return { expected: 'an e-mail address' }
}

/** How an absolute URL starts: a scheme, and something of a host. */
export const urlPattern = '^[A-Za-z][A-Za-z0-9+.\\-]*:\\/\\/[^\\s\\/?#]'

const isUrlStart = new RegExp(urlPattern, 'u')

/** Reads an absolute URL with a host, as the WHATWG's URL Standard parses it; it is kept as it was sent. */
export function readUrl(json: unknown): ReadResult<string> {
  const expected = { expected: 'an absolute URL, such as "https://example.org/"' }
  if (typeof json !== 'string' || findTextViolation(json) !== undefined) return expected
  if (!isUrlStart.test(json) || /[\s\p{Cc}]/u.test(json)) return expected
  return URL.canParse(json) && new URL(json).host !== '' ? { value: json } : expected
}

const uuidText = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Reads a UUID of any version in the text form of RFC 9562 §4, in either case; it is kept in lower case. */
export function readUuid(json: unknown): ReadResult<string> {
  if (typeof json === 'string' && uuidText.test(json)) return { value: json.toLowerCase() }
  return { expected: 'a UUID, such as "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"' }
}

/** Makes the reader of one text out of a list. */
export function createEnumReader<Value extends string>(
  values: readonly Value[],
): (json: unknown) => ReadResult<Value> {
  const byText: ReadonlyMap<unknown, Value> = new Map(values.map((value) => [value, value]))
  const expected = `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`
  return (json) => {
    const value = byText.get(json)
    if (value !== undefined) return { value }
    const meant = typeof json === 'string' ? findNearest(json, values) : undefined
    return {
      expected: meant === undefined ? expected : `${expected} (${JSON.stringify(meant)}, perhaps)`,
    }
  }
}

/** Reads bytes in base64: padded, on one line, its last bits zero, so that each bytes have one spelling (RFC 4648 §4). */
export function readBytes(json: unknown): ReadResult<string> {
  // Node skips what is no base64; what it gives back unchanged is the canonical spelling.
  if (typeof json === 'string' && Buffer.from(json, 'base64').toString('base64') === json) {
    return { value: json }
  }
  return { expected: 'bytes in padded base64, such as "AAEC/w=="' }
}
