import { suggest } from '../../errors/suggestion.ts'
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

/** The options of `integer64`. */
export interface Integer64Options {
  /**
   * How values beyond ±(2^53−1) are serialized, which JSON parsers that only know doubles would round: as a `number` with
   * all digits, or as a `string`. With `string`, clients may also send any value as a string. Default `number`.
   */
  readonly largeValuesAs?: 'number' | 'string'
}

/**
 * A 64-bit integer: a whole number between −2^63 and 2^63−1, as a `bigint` in TypeScript. JSON numbers must have digits only.
 * @param options - the serialization of large values, e.g. `{ largeValuesAs: 'string' }`
 * @throws RangeError if an option is not valid
 */
export function integer64(options: Integer64Options = {}): Kind<bigint, 'ordered'> {
  checkOptionNames('integer64', options, ['largeValuesAs'])
  const { largeValuesAs = 'number' } = options
  const choices: readonly string[] = ['number', 'string']
  if (!choices.includes(largeValuesAs))
    throw new RangeError(
      `integer64: largeValuesAs must be "number" or "string"; it is "${largeValuesAs}"`,
    )
  const isText = largeValuesAs === 'string'
  const read = isText ? readInteger64OrText : readInteger64
  return {
    name: 'integer64',
    comparesAs: 'number',
    operators: 'ordered',
    readBody: read,
    readFilterValue: read,
    readFilterText: (text) => read(parseInteger64(text)),
    isCommaFree: true,
    serialize: isText ? serializeLargeAsText : String,
    schema: isText ? integer64OrText : integer64Schema,
    codec: 'integer64',
  }
}

const integer64Schema: JsonSchema = { type: 'integer', format: 'int64' }
const integer64OrText: JsonSchema = {
  anyOf: [integer64Schema, { type: 'string', pattern: integerPattern }],
}

function serializeLargeAsText(value: bigint): string {
  return Number.isSafeInteger(Number(value)) ? String(value) : `"${value}"`
}

/**
 * Rejects unknown options in plain JavaScript.
 * @throws RangeError that names the kind, the option and the nearest known one
 */
export function checkOptionNames(kind: string, options: object, names: readonly string[]): void {
  for (const name of Object.keys(options)) {
    if (!names.includes(name))
      throw new RangeError(
        `${kind}: there is no option "${name}"; ${suggest(name, names, 'options')}`,
      )
  }
}

/** The number of significant digits that a double always keeps. */
const digitsOfDouble = 15

/** A filter may compare with a decimal number of any size. */
const anyDecimal = createDecimalReader({})

/**
 * An exact decimal number, such as an amount of money. It is a string, `"12.50"`, in documents and in TypeScript, because
 * most JSON parsers round numbers. Only plain notation is accepted. A number that does not fit is rejected, never rounded.
 *
 * @param options.precision - the maximum number of digits, 1 to 1000; default 1000
 * @param options.scale - the maximum number of digits after the point; values are padded to it with zeros. Default: not
 *   limited, and values have no zeros at the end
 * @throws RangeError if an option is not valid
 */
export function decimal(options: DecimalSize = {}): Kind<string, 'ordered'> {
  checkOptionNames('decimal', options, ['precision', 'scale'])
  const { precision, scale } = options
  checkSize(precision ?? maxDigits, scale ?? 0)
  const fitsDouble = precision !== undefined && precision <= digitsOfDouble
  return {
    name: 'decimal',
    comparesAs: 'decimal',
    operators: 'ordered',
    readBody: createDecimalReader(options),
    readFilterValue: anyDecimal,
    readFilterText: anyDecimal,
    isCommaFree: 'after an operator',
    serialize: (value) => `"${padScale(value, scale ?? 0)}"`,
    schema: { type: 'string', pattern: decimalPattern(options) },
    codec: fitsDouble ? 'decimal15' : 'decimal',
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
 * One of several strings, e.g. `enumeration(['open', 'closed'])`; `'open' | 'closed'` in TypeScript. Filters can only test
 * for equality. Any other string in the table is serialized unchanged.
 *
 * @param values - the strings, each once, in the order in which errors list them
 * @throws RangeError if the list is empty or has duplicates, or if a value is not a string or cannot be stored
 */
export function enumeration<const Value extends string>(
  values: readonly Value[],
): Kind<Value, 'plain'> {
  checkValues(values)
  const read = createEnumReader(values)
  const serialized = new Map<string, string>(values.map((value) => [value, JSON.stringify(value)]))
  return {
    name: 'enumeration',
    comparesAs: 'enumeration',
    operators: 'plain',
    readBody: read,
    readFilterValue: read,
    readFilterText: read,
    isCommaFree: values.every((value) => !value.includes(',')),
    serialize: (value) => serialized.get(value) ?? JSON.stringify(value),
    schema: { type: 'string', enum: values },
    codec: 'enumeration',
  }
}

function checkValues(values: readonly string[]): void {
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string'))
    throw new RangeError('enumeration: the values must be an array of strings')
  if (values.length === 0) throw new RangeError('enumeration: at least one value is required')
  const duplicate = values.find((value, index) => values.indexOf(value) !== index)
  if (duplicate !== undefined)
    throw new RangeError(`enumeration: ${JSON.stringify(duplicate)} is listed twice`)
  for (const value of values) {
    const violation = findTextViolation(value)
    if (violation !== undefined)
      throw new RangeError(`enumeration: ${JSON.stringify(value)} must be a string ${violation}`)
  }
}

/** The functions that create a kind, by name. The table `kinds` has the kinds without options. */
export const parametricKinds = { integer64, decimal, enumeration } as const
