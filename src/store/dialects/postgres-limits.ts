import { type ApiError, BodyError, quoted } from '../../errors/errors.ts'
import { type Catalog, tableIn } from '../../model/catalog.ts'
import { canonicalDecimal } from '../../model/decimals.ts'
import { type AttributeField, type Model, typeNamed } from '../../model/model.ts'
import type { WritePlan } from '../../plan/body.ts'
import { pointerTo } from '../../plan/draft.ts'

/** What a value that a column does not take unchanged would have to be; `undefined` for one that it does. */
type Limit = (value: unknown) => string | undefined

/** What columns take of their fields' values, where that is not all of them. */
export type Limits = ReadonlyMap<AttributeField, Limit>

/**
 * The types of columns that take only some values of the kinds over them. What PostgreSQL would refuse it refuses without
 * naming a column, and what it would cut or round it stores silently; either is told before.
 */
// biome-ignore format: a table, one type a row
const rules: readonly (readonly [type: RegExp, limit: (sizes: readonly number[]) => Limit])[] = [
  [/^smallint$/,                                       () => wholeUpTo(2n ** 15n)],
  [/^integer$/,                                        () => wholeUpTo(2n ** 31n)],
  [/^bigint$/,                                         () => wholeUpTo(2n ** 63n)],
  [/^numeric\((\d+),(\d+)\)$/,                         ([precision = 0, scale = 0]) => digitsUpTo(precision - scale, scale)],
  [/^character varying\((\d+)\)$/,                     ([length = 0]) => textUpTo(length)],
  [/^character\((\d+)\)$/,                             ([length = 0]) => paddedText(length)],
  [/^time(?:stamp)?\((\d)\) with(?:out)? time zone$/,  ([digits = 0]) => secondUpTo(digits)],
]

/** The limits of the columns that a model writes, as a database has them. */
export function limitsOf(model: Model, catalog: Catalog): Limits {
  const limits = new Map<AttributeField, Limit>()
  for (const { table, id, fields } of model.types.values()) {
    const columns = tableIn(catalog, table)?.columns
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

/** The faults of values that a client sends and a column does not take unchanged. */
export function limitFaults(
  { shape, id, values }: WritePlan,
  model: Model,
  limits: Limits,
): ApiError[] {
  const resource = typeNamed(model, shape.type)
  const expectedId = shape.row === 'newWithId' && id ? limits.get(resource.id)?.(id) : undefined
  const faults = expectedId ? [fault('/data/id', `The id of a ${shape.type}`, expectedId, id)] : []
  for (const [slot, column] of shape.columns.entries()) {
    const field = column.is === 'attribute' ? resource.fields.get(column.name) : undefined
    const value = values[slot]
    if (field?.is !== 'attribute' || !field.writes || value === null) continue
    const expected = limits.get(field)?.(value)
    if (expected) faults.push(fault(pointerTo(field), field.name, expected, value))
  }
  return faults
}

function fault(pointer: string, what: string, expected: string, value: unknown): ApiError {
  const detail = `${what} must be ${expected}; it is ${quoted(value)}.`
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

function digitsUpTo(before: number, after: number): Limit {
  const most = Math.max(before, 0)
  const expected = `a number with at most ${most} digits before the point and ${after} after it`
  return (value) => {
    const [, whole = '', fraction = ''] = /^-?0*(\d*)(?:\.(\d+))?$/.exec(decimalText(value)) ?? []
    return whole.length <= most && fraction.length <= after ? undefined : expected
  }
}

/** Numbers, whichever kind has read them, in plain notation. */
function decimalText(value: unknown): string {
  return canonicalDecimal(String(value))
}

function textUpTo(length: number): Limit {
  const expected = `a string of at most ${length} characters`
  return (value) => (charactersIn(value) <= length ? undefined : expected)
}

/** The column fills texts up with spaces, and knows no others at their end. */
function paddedText(length: number): Limit {
  const expected = `a string of at most ${length} characters that does not end with a space`
  return (value) =>
    charactersIn(value) <= length && !String(value).endsWith(' ') ? undefined : expected
}

function charactersIn(value: unknown): number {
  return [...String(value)].length
}

function secondUpTo(digits: number): Limit {
  const expected = `a time with at most ${digits} digits of a second`
  return (value) => {
    const fraction = /\.(\d+)/.exec(String(value))?.[1] ?? ''
    return fraction.length <= digits ? undefined : expected
  }
}
