import { storedValueError } from './stored-values.ts'
import type { ReadResult } from './value-result.ts'

/** The size of a decimal number. */
export interface DecimalSize {
  /** The maximum number of digits, before and after the point: 1 to 1000. Default 1000. */
  readonly precision?: number | undefined
  /** The maximum number of digits after the point: 0 to `precision`. Default: not limited. */
  readonly scale?: number | undefined
}

/** The largest precision: PostgreSQL accepts no larger one in a column type. */
export const maxDigits = 1000

const plainDecimal = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?$/

/**
 * Creates a function that reads decimal numbers of a size from JSON strings in plain notation. It never rounds. It rejects
 * JSON numbers, because a JSON library may have rounded them.
 */
export function createDecimalReader({
  precision = maxDigits,
  scale,
}: DecimalSize): (json: unknown) => ReadResult<string> {
  const maxBefore = precision - (scale ?? 0)
  const expected = `a decimal number in a string, such as "12.5", ${describeSize({ precision, scale })}`
  return (json) => {
    const match = typeof json === 'string' ? plainDecimal.exec(json) : null
    if (match === null) return { expected }
    const [, sign = '', before = '', after = ''] = match
    const digits = before === '0' ? 0 : before.length
    const fits =
      scale === undefined
        ? digits + after.length <= precision
        : digits <= maxBefore && after.length <= scale
    return fits ? { value: formatCanonical(sign, before, after) } : { expected }
  }
}

function describeSize({ precision, scale }: Required<DecimalSize>): string {
  if (scale === undefined) return `with at most ${precision} digits`
  return `with at most ${Number(precision) - scale} digits before the point and ${scale} after it`
}

/** Writes a regular expression for decimal numbers of a size. Without a scale it limits only each side of the point. */
export function decimalPattern({ precision = maxDigits, scale }: DecimalSize): string {
  const maxBefore = precision - (scale ?? 0)
  const before =
    maxBefore === 0 ? '0' : maxBefore === 1 ? '\\d' : `(0|[1-9]\\d{0,${maxBefore - 1}})`
  const after = scale === 0 ? '' : `(\\.\\d{1,${scale ?? precision}})?`
  return `^-?${before}${after}$`
}

/** Appends zeros to a decimal number until it has `scale` digits after the point. Keeps further digits. */
export function padScale(value: string, scale: number): string {
  const point = value.indexOf('.')
  const after = point === -1 ? 0 : value.length - point - 1
  if (after >= scale) return value
  return `${value}${point === -1 ? '.' : ''}${'0'.repeat(scale - after)}`
}

/** A decimal number in any notation that a column may contain, including JavaScript's notation of a float. */
const anyDecimal = /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/

/**
 * Converts a decimal number to its canonical text: plain notation, without leading zeros, without trailing zeros after the
 * point, and `0` instead of `-0`.
 * @throws Error if the text is not a finite decimal number
 */
export function canonicalDecimal(text: string): string {
  const match = anyDecimal.exec(text)
  if (match === null) throw storedValueError(text, 'decimal')
  const [, sign = '', before = '', after = '', exponent = '0'] = match
  const shift = Number(exponent)
  if (shift === 0) return formatCanonical(sign, before, after)
  const digits = before + after
  const point = before.length + shift
  if (point <= 0) return formatCanonical(sign, '', '0'.repeat(-point) + digits)
  return formatCanonical(sign, digits.slice(0, point).padEnd(point, '0'), digits.slice(point))
}

function formatCanonical(sign: string, before: string, after: string): string {
  const integer = before.replace(/^0+/, '') || '0'
  const fraction = trimTrailingZeros(after)
  const number = fraction === '' ? integer : `${integer}.${fraction}`
  return sign === '-' && number !== '0' ? `-${number}` : number
}

/** Returns digits without the zeros at the end. */
export function trimTrailingZeros(digits: string): string {
  let end = digits.length
  while (end > 0 && digits[end - 1] === '0') end -= 1
  return digits.slice(0, end)
}

/** Added to an exponent to make it positive. No stored text is long enough to exceed it. */
const exponentBias = 5_000_000_000

/**
 * Writes a decimal number as a comparison key: texts in code point order have the order of their numbers, and equal texts
 * stand for equal numbers. The key is the sign, the biased exponent and the digits; negative numbers have the complement.
 * @param value - in canonical text
 */
export function decimalKey(value: string): string {
  if (value === '0') return '1'
  const isNegative = value.startsWith('-')
  const [before = '', after = ''] = (isNegative ? value.slice(1) : value).split('.')
  const digits = before === '0' ? after.replace(/^0+/, '') : before + after
  const exponent = before === '0' ? digits.length - after.length : before.length
  const magnitude = String(exponentBias + exponent) + trimTrailingZeros(digits)
  if (!isNegative) return `2${magnitude}`
  // Of two negative numbers with a common prefix the longer one is smaller. `:` sorts after every digit.
  return `0${magnitude.replace(/\d/g, (digit) => String(9 - Number(digit)))}:`
}
