import { quote } from '../errors/quote.ts'
import { isInteger64 } from './numbers.ts'
import { readUuid } from './texts.ts'

/**
 * The error for a stored value that is none of its form: the table holds something else than was declared.
 * @param form - the form's name
 * @param why - more of it, as a sentence without its end
 */
export function storedValueError(stored: unknown, form: string, why?: string): Error {
  const end = why === undefined ? '.' : `: ${why}.`
  return new Error(`A column holds ${quote(stored)}, which is no ${form}${end}`)
}

/**
 * Reads a stored whole number of 64 bits, given as text; a float that is whole counts as one.
 * @throws Error when it is none
 */
export function parseStoredInteger(stored: unknown): bigint {
  const text = typeof stored === 'string' ? stored.replace(/\.0+$/, '') : ''
  if (isInteger64(text)) return BigInt(text)
  throw storedValueError(stored, 'integer')
}

/**
 * Reads a stored UUID in its text form, in either case.
 * @throws Error when it is none
 */
export function parseStoredUuid(stored: unknown): string {
  const reading = readUuid(stored)
  if ('value' in reading) return reading.value
  throw storedValueError(stored, 'uuid')
}

/**
 * Reads stored bytes as base64.
 * @throws Error when they are none, but a text or a number
 */
export function encodeStoredBytes(stored: unknown): string {
  if (stored instanceof Uint8Array) return Buffer.from(stored).toString('base64')
  throw storedValueError(stored, 'bytes')
}
