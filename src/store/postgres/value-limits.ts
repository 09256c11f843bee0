import { type ApiError, BodyError } from '../../errors/errors.ts'
import { quote } from '../../errors/quote.ts'
import { type Catalog, findTable } from '../../model/catalog.ts'
import { canonicalDecimal } from '../../model/decimals.ts'
import { type AttributeField, getResourceType, type Model } from '../../model/model.ts'
import type { WritePlan } from '../../plan/write.ts'
import { toFieldPointer } from '../../plan/write-builder.ts'

/** What a value that a column refuses would have to be; `undefined` for one that it takes. */
type Limit = (value: unknown) => string | undefined

/** What columns take of their fields' values, where that is not all of them. */
export type ValueLimits = ReadonlyMap<AttributeField, Limit>

/**
 * The types of columns that take only some values of the kinds over them. PostgreSQL refuses the others without saying
 * where, so it is told before. What a column rounds or cuts without a word it takes (decision 0027).
 */
// biome-ignore format: a table, one type a row
const rules: readonly (readonly [type: RegExp, limit: (sizes: readonly number[]) => Limit])[] = [
  [/^smallint$/,                                       () => wholeUpTo(2n ** 15n)],
  [/^integer$/,                                        () => wholeUpTo(2n ** 31n)],
  [/^bigint$/,                                         () => wholeUpTo(2n ** 63n)],
  [/^numeric\((\d+),(\d+)\)$/,                         ([precision = 0, scale = 0]) => wholeDigitsUpTo(precision - scale)],
  [/^character(?: varying)?\((\d+)\)$/,                ([length = 0]) => textUpTo(length)],
]

/** The limits of the columns that a model writes, as a database has them. */
export function listValueLimits(model: Model, catalog: Catalog): ValueLimits {
  const limits = new Map<AttributeField, Limit>()
  for (const { table, id, fields } of model.types.values()) {
    const columns = findTable(catalog, table)?.columns
    for (const field of [id, ...fields.values()]) {
      if (field.is !== 'attribute' || field.column === undefined) continue
      const limit = limitOf(columns?.get(field.column)?.type ?? '')
      if (limit) limits.set(field, limit)
    }
  }
  return limits
}

function limitOf(type: string): Limit | undefined {
  for (const [pattern, limit] of rules) {
    const [, ...sizes] = pattern.exec(type) ?? []
    if (pattern.test(type)) return limit(sizes.map(Number))
  }
  return undefined
}

/** The faults of values that a client sends and a column refuses. */
export function checkValueLimits(
  { shape, id, values }: WritePlan,
  model: Model,
  limits: ValueLimits,
): ApiError[] {
  const resource = getResourceType(model, shape.type)
  const expectedId = shape.row === 'newWithId' && id ? limits.get(resource.id)?.(id) : undefined
  const faults = expectedId ? [fault('/data/id', `The id of a ${shape.type}`, expectedId, id)] : []
  for (const [slot, column] of shape.columns.entries()) {
    const field = column.is === 'attribute' ? resource.fields.get(column.name) : undefined
    const value = values[slot]
    if (field?.is !== 'attribute' || !field.isWritable || value === null) continue
    const expected = limits.get(field)?.(value)
    if (expected) faults.push(fault(toFieldPointer(field), field.name, expected, value))
  }
  return faults
}

function fault(pointer: string, what: string, expected: string, value: unknown): ApiError {
  const detail = `${what} must be ${expected}; it is ${quote(value)}.`
  return new BodyError('invalid_value', pointer, detail)
}

/** @param end - the first positive number that is too large; the negative ones go one further */
function wholeUpTo(end: bigint): Limit {
  const expected = `a whole number between ${-end} and ${end - 1n}`
  return (value) => {
    const text = decimalText(value)
    const isWhole = !text.includes('.')
    return isWhole && BigInt(text) >= -end && BigInt(text) < end ? undefined : expected
  }
}

function wholeDigitsUpTo(most: number): Limit {
  const expected = `a number with at most ${Math.max(most, 0)} digits before the point`
  return (value) => {
    const [, whole = ''] = /^-?0*(\d*)/.exec(decimalText(value)) ?? []
    return whole.length <= Math.max(most, 0) ? undefined : expected
  }
}

/** Numbers, whichever kind has read them, in plain notation. */
function decimalText(value: unknown): string {
  return canonicalDecimal(String(value))
}

/** Spaces at the end are cut where they are too many. */
function textUpTo(length: number): Limit {
  const expected = `a string of at most ${length} characters`
  return (value) => ([...String(value).replace(/ +$/, '')].length <= length ? undefined : expected)
}
