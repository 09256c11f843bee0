import { type ApiError, BodyError } from '../../errors/errors.ts'
import { quote } from '../../errors/quote.ts'
import { type Catalog, findTable } from '../../model/catalog.ts'
import { getCodec } from '../../model/kinds/codecs.ts'
import { canonicalDecimal } from '../../model/kinds/decimals.ts'
import type { Kind } from '../../model/kinds/kinds.ts'
import { isStoredFormat } from '../../model/kinds/stored-formats.ts'
import { type AttributeField, getResourceType, type Model } from '../../model/model.ts'
import type { WritePlan } from '../../plan/write.ts'
import { toFieldPointer } from '../../plan/write-rights.ts'
import { postgres } from '../database.ts'

/** Describes the values that a column accepts, for a value that it rejects; returns `undefined` for a value that it accepts. */
type Limit = (value: unknown) => string | undefined

/** The limits of columns that reject some values of their attribute. */
export type ColumnLimits = ReadonlyMap<AttributeField, Limit>

/**
 * The column types that reject some values of their attribute kinds. PostgreSQL does not report the column of a rejected value, so
 * values are checked before. A column that rounds or truncates a value accepts it (docs/decisions/0027).
 */
// biome-ignore format: a table, one type a row
const rules: readonly (readonly [type: RegExp, limit: (sizes: readonly number[]) => Limit])[] = [
  [/^smallint$/,                                       () => integerBelow(2n ** 15n)],
  [/^integer$/,                                        () => integerBelow(2n ** 31n)],
  [/^bigint$/,                                         () => integerBelow(2n ** 63n)],
  [/^real$/,                                           () => singlePrecision],
  [/^numeric\((\d+),(\d+)\)$/,                         ([precision = 0, scale = 0]) => maxIntegerDigits(precision - scale)],
  [/^character(?: varying)?\((\d+)\)$/,                ([length = 0]) => maxTextLength(length)],
]

/** Lists the limits of a model's columns. */
export function listColumnLimits(model: Model, catalog: Catalog): ColumnLimits {
  const limits = new Map<AttributeField, Limit>()
  for (const { table, id, fields } of model.types.values()) {
    const columns = findTable(catalog, table)?.columns
    for (const field of [id, ...fields.values()]) {
      if (field.is !== 'attribute' || field.column === undefined) continue
      const limit = findLimit(columns?.get(field.column)?.type ?? '')
      if (limit) limits.set(field, limit)
    }
  }
  return limits
}

/** Returns the limit of the values of a column type; of the elements, if it is an array type. */
function findLimit(columnType: string): Limit | undefined {
  const type = columnType.replace(/\[\]$/, '')
  for (const [pattern, limit] of rules) {
    const [, ...sizes] = pattern.exec(type) ?? []
    if (pattern.test(type)) return limit(sizes.map(Number))
  }
  return undefined
}

/** Checks the values of a client. @returns an error for each value, and each element of an array, that its column rejects */
export function checkColumnLimits(
  { shape, id, values }: WritePlan,
  model: Model,
  limits: ColumnLimits,
): ApiError[] {
  const resource = getResourceType(model, shape.type)
  const expectedId =
    shape.row === 'newWithId' && id
      ? limits.get(resource.id)?.(toStored(resource.id.kind, id))
      : undefined
  const errors = expectedId
    ? [limitError('/data/id', `The id of a resource of type ${shape.type}`, expectedId, id)]
    : []
  shape.columns.forEach((column, index) => {
    const field = column.is === 'attribute' ? resource.fields.get(column.name) : undefined
    const limit = field?.is === 'attribute' ? limits.get(field) : undefined
    if (field?.is !== 'attribute' || limit === undefined) return
    // The database reports a value that the server sets without naming its field.
    if (field.isWritable && !resource.hiddenFields?.has(field.name))
      errors.push(...checkValue(values[index], field, limit))
  })
  return errors
}

/** Checks the value of an attribute: the elements of an array one by one. */
function checkValue(value: unknown, field: AttributeField, limit: Limit): ApiError[] {
  const { kind, name } = field
  const { element } = kind
  if (element === undefined || !Array.isArray(value)) {
    const expected = value === null ? undefined : limit(toStored(kind, value))
    return expected ? [limitError(toFieldPointer(field), name, expected, value)] : []
  }
  return value.flatMap((each: unknown, index) => {
    const expected = each === null ? undefined : limit(toStored(element, each))
    const pointer = `${toFieldPointer(field)}/${index}`
    return expected ? [limitError(pointer, `${name}[${index}]`, expected, each)] : []
  })
}

/** Returns a value as its column stores it: in the format of `storedAs`, or as a kind of the program binds it. */
function toStored({ codec }: Kind<unknown>, value: unknown): unknown {
  return typeof codec !== 'string' || isStoredFormat(codec)
    ? getCodec(codec, postgres).bind?.(value)
    : value
}

function limitError(pointer: string, what: string, expected: string, value: unknown): ApiError {
  const detail = `${what} must be ${expected}; it is ${quote(value)}.`
  return new BodyError('invalid_value', pointer, detail)
}

/** @param end - the smallest positive integer that is too large; the negative of it is accepted */
function integerBelow(end: bigint): Limit {
  const expected = `a whole number between ${-end} and ${end - 1n}`
  return (value) => {
    const text = toDecimalText(value)
    const isInteger = !text.includes('.')
    return isInteger && BigInt(text) >= -end && BigInt(text) < end ? undefined : expected
  }
}

/** A four-byte number: neither too large nor so small that it would be rounded to zero. */
const singlePrecision: Limit = (value) => {
  const rounded = Math.fround(Number(value))
  const isInRange = Number.isFinite(rounded) && (rounded !== 0 || Number(value) === 0)
  return isInRange ? undefined : 'zero or a number between 1.4e-45 and 3.4028234e+38 in magnitude'
}

function maxIntegerDigits(maxDigits: number): Limit {
  const expected = `a number with at most ${Math.max(maxDigits, 0)} digits before the point`
  return (value) => {
    const [, digits = ''] = /^-?0*(\d*)/.exec(toDecimalText(value)) ?? []
    return digits.length <= Math.max(maxDigits, 0) ? undefined : expected
  }
}

/** Writes a number of any kind without an exponent. */
function toDecimalText(value: unknown): string {
  return canonicalDecimal(String(value))
}

/** PostgreSQL truncates trailing spaces that are too many. */
function maxTextLength(length: number): Limit {
  const expected = `a string of at most ${length} characters`
  return (value) => (isWithin(String(value), length) ? undefined : expected)
}

/** Whether a text has at most `length` characters, without the spaces at its end. */
function isWithin(text: string, length: number): boolean {
  let end = text.length
  // An expression such as `/ +$/` takes quadratic time for spaces that something follows.
  while (text[end - 1] === ' ') end -= 1
  // A character has one or two code units.
  if (end <= length || end > 2 * length) return end <= length
  return [...text.slice(0, end)].length <= length
}
