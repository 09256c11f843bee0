import type { ReadFailure, ReadResult } from './value-result.ts'

/** Reads a safe integer: one that a double represents exactly. */
export function readInteger(json: unknown): ReadResult<number> {
  if (typeof json === 'number' && Number.isSafeInteger(json))
    return { value: json === 0 ? 0 : json }
  return { expected: 'a whole number between -9007199254740991 and 9007199254740991' }
}

/** Reads a double. An integer beyond 2^53 becomes the nearest double. */
export function readNumber(json: unknown): ReadResult<number> {
  const value = typeof json === 'bigint' ? Number(json) : json
  if (typeof value !== 'number' || !Number.isFinite(value)) return { expected: 'a number' }
  return { value: value === 0 ? 0 : value }
}

/** Reads true or false. */
export function readBoolean(json: unknown): ReadResult<boolean> {
  return typeof json === 'boolean' ? { value: json } : { expected: 'true or false' }
}

/** A number in JSON notation (RFC 8259 §6): a query accepts the same spellings as a body. */
const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** Parses a number in a query. Returns any other text unchanged. */
export function parseNumber(text: string): unknown {
  return jsonNumber.test(text) ? Number(text) : text
}

/** Parses `true` or `false` in a query. Returns any other text unchanged. */
export function parseBoolean(text: string): unknown {
  if (text === 'true') return true
  return text === 'false' ? false : text
}

const invalidId: ReadFailure = { expected: 'an id, a whole number of at most 64 bits' }

/** Reads an integer id. It is a string from the request to the database, so no double ever rounds it. */
export function readId(json: unknown): ReadResult<string> {
  const text = typeof json === 'number' || typeof json === 'bigint' ? String(json) : json
  return typeof text === 'string' && isInteger64(text) ? { value: text } : invalidId
}

/** A regular expression for the canonical text of integers with up to 19 digits. */
export const integerPattern = '^(0|-?[1-9]\\d{0,18})$'

const isInteger = new RegExp(integerPattern)

/** True for the canonical text of a 64-bit integer: without `+` and without leading zeros. */
export function isInteger64(text: string): boolean {
  if (!isInteger.test(text)) return false
  return text.length < 19 || BigInt.asIntN(64, BigInt(text)) === BigInt(text)
}

const integer64Range = 'a whole number between -9223372036854775808 and 9223372036854775807'

/**
 * Reads a 64-bit integer from a JSON number. Rejects doubles beyond 2^53, which come from a fraction or an exponent and may
 * be rounded.
 */
export function readInteger64(json: unknown): ReadResult<bigint> {
  if (typeof json === 'number' && Number.isSafeInteger(json)) return { value: BigInt(json) }
  if (typeof json === 'bigint' && BigInt.asIntN(64, json) === json) return { value: json }
  return { expected: `${integer64Range}, written with digits alone` }
}

/** Reads a 64-bit integer from a JSON number or from a string of digits. */
export function readInteger64OrText(json: unknown): ReadResult<bigint> {
  if (typeof json === 'string' && isInteger64(json)) return { value: BigInt(json) }
  const result = readInteger64(json)
  if ('value' in result) return result
  return { expected: `${integer64Range}, a number or a string, written with digits alone` }
}

/** Parses a 64-bit integer in a query. Parses any other text like `parseNumber`. */
export function parseInteger64(text: string): unknown {
  return isInteger64(text) ? BigInt(text) : parseNumber(text)
}
