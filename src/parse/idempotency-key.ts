import { HttpError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { computeDigest } from '../model/digest.ts'

/** The key of a write that may be repeated, and a digest of what must not differ then. */
export interface IdempotencyKey {
  readonly key: string
  /** SHA-256 of the method, the path, the query, the media type and the body. */
  readonly fingerprint: string
}

/** The maximum number of characters of a key. */
const maxKeyLength = 255

/** A string of a structured field (RFC 9651 §3.3.3), or the text without quotation marks; both of visible ASCII characters. */
const quoted = /^"((?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/
const bare = /^[\x21\x23-\x7e][\x21-\x7e]*$/

/**
 * Parses `Idempotency-Key`: a string in quotation marks, or the same text without them, as some clients send it.
 * @throws HttpError `invalid_key` (400)
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 */
export function parseIdempotencyKey(field: string): string {
  const text = field.trim()
  const inner = quoted.exec(text)?.[1]?.replaceAll(/\\(["\\])/g, '$1')
  const key = inner ?? (bare.test(text) ? text : '')
  if (key.length >= 1 && key.length <= maxKeyLength) return key
  throw new HttpError(
    'invalid_key',
    `Idempotency-Key must have 1 to ${maxKeyLength} visible ASCII characters, such as Idempotency-Key: "8e03978e-40d5-43e8-bc93-6894a57f9324"; it is ${quote(text)}. Send one field with a random UUID.`,
  )
}

/** A call in process: its name and arguments. */
type RepeatableCall = readonly [operation: string, ...values: unknown[]]

/**
 * Returns the key of a call in process, whose fingerprint is that of its arguments.
 * @throws HttpError `invalid_key` (400)
 */
export function createCallKey(key: unknown, call: RepeatableCall): IdempotencyKey {
  const text = JSON.stringify(call, (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  return {
    key: parseIdempotencyKey(typeof key === 'string' ? JSON.stringify(key) : ''),
    fingerprint: computeDigest(text),
  }
}

/** What a repeated request has in common with the first one. */
interface RepeatableRequest {
  readonly method: string
  /** The request target, as sent. */
  readonly target: string
  readonly contentType: string | undefined
  readonly body: string | Uint8Array
}

/** Computes the fingerprint of a request. The order of its query parameters does not matter, nor how they are encoded. */
export function computeFingerprint({
  method,
  target,
  contentType,
  body,
}: RepeatableRequest): string {
  const [path = '', search = ''] = target.split('?', 2)
  const query = search.split('&').map(decode).toSorted().join('&')
  const mediaType = (contentType ?? '').toLowerCase().replaceAll(/\s/g, '')
  const parts = [method, decode(path), query, mediaType, computeDigest(body)]
  return computeDigest(JSON.stringify(parts))
}

/** A text that cannot be decoded is compared as it is. Reserved characters stay encoded, so that no two meanings become equal. */
function decode(text: string): string {
  try {
    return decodeURI(text)
  } catch {
    return text
  }
}
