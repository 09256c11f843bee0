import type { BoundValue } from '../sql.ts'
import { readString } from './texts.ts'
import type { ReadResult } from './value-result.ts'

// Keys of SQLite that are numbers in some rows and texts in others, such as the codes of PROJ: `4326` and `IGNF`. The id is the text of what
// is stored. A column with integer or numeric affinity stores every text that looks like a number as a number
// (sqlite.org/datatype3.html, section 3), so no two rows have the same text, and an index finds a row by its id.

/** A text that SQLite converts to a number. */
const numberPattern = /^[ \t\n\v\f\r]*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[ \t\n\v\f\r]*$/
const integerPattern = /^(?:0|-?[1-9]\d*)$/
/** How SQLite prints a number with a fraction, or one beyond 64 bits. */
const realPattern = /^-?(?:0|[1-9]\d*)\.(?:0|\d*[1-9])(?:e[+-]\d\d+)?$/

/** Reads the text of a key. A number in another spelling than that of SQLite is the text of no row. */
export function readMixedKey(json: unknown): ReadResult<string> {
  const result = readString(json)
  if (!('value' in result) || !numberPattern.test(result.value)) return result
  const isStored = isStoredInteger(result.value) || isStoredReal(result.value)
  return isStored ? result : { expected: 'a text, or a number in its shortest spelling' }
}

function isStoredInteger(text: string): boolean {
  return integerPattern.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text)
}

/** An integer of 64 bits is stored as such, also one that was written with a fraction of zeros. */
function isStoredReal(text: string): boolean {
  const number = Number(text)
  return realPattern.test(text) && !(Number.isInteger(number) && Math.abs(number) < 2 ** 63)
}

/**
 * Converts the text of a key to what a column stores.
 * @param safeLength - the number of characters of integers that are bound as numbers; longer ones are bigints
 */
export function toStoredKey(text: string, safeLength: number): BoundValue {
  if (isStoredInteger(text)) return text.length <= safeLength ? Number(text) : BigInt(text)
  return isStoredReal(text) ? Number(text) : text
}
