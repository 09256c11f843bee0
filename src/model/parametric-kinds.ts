import { suggest } from '../errors/suggestion.ts'
import {
  createDecimalReader,
  type DecimalSize,
  decimalPattern,
  maxDigits,
  padScale,
} from './decimals.ts'
import type { JsonSchema, Kind } from './kinds.ts'
import { integerPattern, parseInteger64, readInteger64, readInteger64OrText } from './numbers.ts'
import { createEnumReader, findTextViolation } from './texts.ts'

/** How whole numbers of 64 bits are written in documents. */
export interface Integer64Options {
  /**
   * What is told of a value beyond ±(2^53−1), which readers of JSON that know doubles alone would round: a JSON `number`
   * with all of its digits, or a `string` of them. With `string`, bodies may send any value as one. Default `number`.
   */
  readonly beyond?: 'number' | 'string'
}

/**
 * A whole number between −2^63 and 2^63−1, exactly; a `bigint` in TypeScript. Sent as a JSON number of digits alone.
 * @param options - how values beyond 2^53 are written, e.g. `{ beyond: 'string' }`
 * @throws RangeError when there is no such way
 */
export function integer64(options: Integer64Options = {}): Kind<bigint> {
  checkNames('integer64', options, ['beyond'])
  const { beyond = 'number' } = options
  const ways: readonly string[] = ['number', 'string']
  if (!ways.includes(beyond))
    throw new RangeError(`integer64: beyond must be "number" or "string"; it is "${beyond}"`)
  const isText = beyond === 'string'
  const read = isText ? readInteger64OrText : readInteger64
  return {
    name: 'integer64',
    comparesAs: 'number',
    operators: 'ordered',
    readBody: read,
    readValue: read,
    readText: (text) => read(parseInteger64(text)),
    serialize: isText ? serializeUnsafeAsText : String,
    schema: isText ? integer64OrText : integer64Schema,
    codec: 'integer64',
  }
}

const integer64Schema: JsonSchema = { type: 'integer', format: 'int64' }
const integer64OrText: JsonSchema = {
  anyOf: [integer64Schema, { type: 'string', pattern: integerPattern }],
}

function serializeUnsafeAsText(value: bigint): string {
  return Number.isSafeInteger(Number(value)) ? String(value) : `"${value}"`
}

/** Refuses options that a kind does not have, for whoever writes no TypeScript. */
function checkNames(kind: string, options: object, names: readonly string[]): void {
  for (const name of Object.keys(options)) {
    if (!names.includes(name))
      throw new RangeError(
        `${kind}: there is no option "${name}"; ${suggest(name, names, 'options')}`,
      )
  }
}

/** The most digits that any double keeps, and so a column of numbers. */
const digitsOfDouble = 15

/** A query may compare with any decimal number, within the kind's size or not. */
const anyDecimal = createDecimalReader({})

/**
 * A decimal number, exactly, such as an amount of money: `"12.50"`, a string in documents and in TypeScript, because
 * JSON numbers are rounded by most who read them. Plain notation; none is ever rounded, one that does not fit is refused.
 *
 * @param options.precision - how many digits in all, 1 to 1000; default 1000
 * @param options.scale - how many digits after the point, and with how many it is told; default: as many as there are,
 *   and told without zeros at the end
 * @throws RangeError when the options contradict themselves
 */
export function decimal(options: DecimalSize = {}): Kind<string> {
  checkNames('decimal', options, ['precision', 'scale'])
  const { precision, scale } = options
  checkSize(precision ?? maxDigits, scale ?? 0)
  const isSmall = precision !== undefined && precision <= digitsOfDouble
  return {
    name: 'decimal',
    comparesAs: 'decimal',
    operators: 'ordered',
    readBody: createDecimalReader(options),
    readValue: anyDecimal,
    readText: anyDecimal,
    serialize: (value) => `"${padScale(value, scale ?? 0)}"`,
    schema: { type: 'string', pattern: decimalPattern(options) },
    codec: isSmall ? 'decimal15' : 'decimal',
  }
}

function checkSize(precision: number, scale: number): void {
  if (!Number.isInteger(precision) || precision < 1 || precision > maxDigits)
    throw new RangeError(
      `decimal: the precision must be a whole number from 1 to ${maxDigits}; it is ${precision}`,
    )
  if (!Number.isInteger(scale) || scale < 0 || scale > precision)
    throw new RangeError(
      `decimal: the scale must be a whole number from 0 to ${precision}; it is ${scale}`,
    )
}

/**
 * One of a few texts, e.g. `enumeration(['open', 'closed'])`, in TypeScript `'open' | 'closed'`. Filters test for equality
 * alone. Another text that stands in the table is told as it is.
 *
 * @param values - each once, in the order in which a refusal lists them
 * @throws RangeError when there are none, or one twice, or one that is no text or cannot be stored
 */
export function enumeration<const Value extends string>(values: readonly Value[]): Kind<Value> {
  checkTexts(values)
  if (values.length === 0) throw new RangeError('enumeration: there are no values')
  const twice = values.find((value, index) => values.indexOf(value) !== index)
  if (twice !== undefined)
    throw new RangeError(`enumeration: ${JSON.stringify(twice)} is there twice`)
  for (const value of values) {
    const fault = findTextViolation(value)
    if (fault !== undefined)
      throw new RangeError(`enumeration: ${JSON.stringify(value)} must be a text ${fault}`)
  }
  const read = createEnumReader(values)
  const told = new Map<string, string>(values.map((value) => [value, JSON.stringify(value)]))
  return {
    name: 'enumeration',
    comparesAs: 'enumeration',
    operators: 'plain',
    readBody: read,
    readValue: read,
    readText: read,
    serialize: (value) => told.get(value) ?? JSON.stringify(value),
    schema: { type: 'string', enum: values },
    codec: 'enumeration',
  }
}

function checkTexts(values: unknown): void {
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string'))
    throw new RangeError('enumeration: the values must be texts in an array')
}

/** Every kind that takes options, by name; the table of `kinds` has the others. */
export const parametricKinds = { integer64, decimal, enumeration } as const
