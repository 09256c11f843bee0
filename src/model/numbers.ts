import type { ReadFailure, ReadResult } from './read-result.ts'

/** Reads a whole number that a double holds exactly. */
export function readInteger(json: unknown): ReadResult<number> {
  if (typeof json === 'number' && Number.isSafeInteger(json))
    return { value: json === 0 ? 0 : json }
  return { expected: 'a whole number between -9007199254740991 and 9007199254740991' }
}

/** Reads a double; a whole number beyond 2^53 becomes the nearest. */
export function readNumber(json: unknown): ReadResult<number> {
  const value = typeof json === 'bigint' ? Number(json) : json
  if (typeof value !== 'number' || !Number.isFinite(value)) return { expected: 'a number' }
  return { value: value === 0 ? 0 : value }
}

/** Reads true or false. */
export function readBoolean(json: unknown): ReadResult<boolean> {
  return typeof json === 'boolean' ? { value: json } : { expected: 'true or false' }
}

/** A number as JSON writes it (RFC 8259 §6), so that a query takes no spelling that a body does not. */
const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** The number that a query's text spells, or the text itself when it spells none. */
export function parseNumber(text: string): unknown {
  return jsonNumber.test(text) ? Number(text) : text
}

/** The truth value that a query's text spells, or the text itself when it spells none. */
export function parseBoolean(text: string): unknown {
  if (text === 'true') return true
  return text === 'false' ? false : text
}

const idExpected: ReadFailure = { expected: 'an id, a whole number of at most 64 bits' }

/** Reads an id. Ids stay texts from the wire to the database: none ever passes through a float. */
export function readId(json: unknown): ReadResult<string> {
  const text = typeof json === 'number' || typeof json === 'bigint' ? String(json) : json
  return typeof text === 'string' && isInteger64(text) ? { value: text } : idExpected
}

/** The one canonical spelling of whole numbers of up to 19 digits. */
export const integerPattern = '^(0|-?[1-9]\\d{0,18})$'

const isWholeNumber = new RegExp(integerPattern)

/** A whole number of 64 bits in its one canonical spelling: no sign but `-`, no leading zero. */
export function isInteger64(text: string): boolean {
  if (!isWholeNumber.test(text)) return false
  return text.length < 19 || BigInt.asIntN(64, BigInt(text)) === BigInt(text)
}

const integer64Range = 'a whole number between -9223372036854775808 and 9223372036854775807'

/**
 * Reads a whole number of 64 bits from a JSON number. One that came as a double beyond 2^53, by a fraction or an
 * exponent, is refused: it may have been rounded.
 */
export function readInteger64(json: unknown): ReadResult<bigint> {
  if (typeof json === 'number' && Number.isSafeInteger(json)) return { value: BigInt(json) }
  if (typeof json === 'bigint' && BigInt.asIntN(64, json) === json) return { value: json }
  return { expected: `${integer64Range}, written with digits alone` }
}

/** Reads a whole number of 64 bits from a JSON number or from a string of digits. */
export function readInteger64OrText(json: unknown): ReadResult<bigint> {
  if (typeof json === 'string' && isInteger64(json)) return { value: BigInt(json) }
  const reading = readInteger64(json)
  if ('value' in reading) return reading
  return { expected: `${integer64Range}, a number or a string, written with digits alone` }
}

/** The whole number of 64 bits that a query's text spells, digit for digit, or what else it spells. */
export function parseInteger64(text: string): unknown {
  return isInteger64(text) ? BigInt(text) : parseNumber(text)
}
