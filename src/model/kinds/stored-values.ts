import { quote } from '../../errors/quote.ts'
import { isInteger64 } from './numbers.ts'
import { readUuid } from './texts.ts'

/** A stored value does not match the declared kind of its column. */
export class StoredValueError extends Error {}

/**
 * Creates the error for a stored value that does not match the declared kind of its column.
 * @param kind - the noun for a valid value, e.g. `uuid`
 * @param reason - a clause that explains the error
 */
export function storedValueError(stored: unknown, kind: string, reason?: string): StoredValueError {
  const end = reason === undefined ? '.' : `: ${reason}.`
  return new StoredValueError(
    `A column contains ${quote(stored)}, which is not a valid ${kind}${end}`,
  )
}

/**
 * Parses a stored 64-bit integer, given as text. A float without a fraction, such as `5.0`, is accepted.
 * @throws Error if it is not a 64-bit integer
 */
export function parseStoredInteger(stored: unknown): bigint {
  const text = typeof stored === 'string' ? stored.replace(/\.0+$/, '') : ''
  if (isInteger64(text)) return BigInt(text)
  throw storedValueError(stored, 'integer')
}

/**
 * Parses a stored UUID in its text form, in lower or upper case.
 * @throws Error if it is not a UUID
 */
export function parseStoredUuid(stored: unknown): string {
  const result = readUuid(stored)
  if ('value' in result) return result.value
  throw storedValueError(stored, 'uuid')
}

/**
 * Encodes stored bytes as base64.
 * @throws Error if a text or a number is stored
 */
export function encodeStoredBytes(stored: unknown): string {
  if (stored instanceof Uint8Array) return Buffer.from(stored).toString('base64')
  throw storedValueError(stored, 'bytes')
}
