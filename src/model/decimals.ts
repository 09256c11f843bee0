import type { ReadResult } from './read-result.ts'
import { storedValueError } from './stored-values.ts'

/** How large and how fine a decimal number may be. */
export interface DecimalSize {
  /** How many digits in all, before and after the point: 1 to 1000. Default 1000. */
  readonly precision?: number | undefined
  /** How many digits after the point: 0 to `precision`. Default: as many as there are. */
  readonly scale?: number | undefined
}

/** The most digits a decimal number may have (PostgreSQL takes no more for a declared precision). */
export const maxDigits = 1000

const plainDecimal = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?$/

/**
 * Makes the reader of decimal numbers of a size from JSON strings, in plain notation. None is ever rounded, so a JSON
 * number is refused: it may have been rounded on its way.
 */
export function createDecimalReader({
  precision = maxDigits,
  scale,
}: DecimalSize): (json: unknown) => ReadResult<string> {
  const whole = precision - (scale ?? 0)
  const expected = `a decimal number in a string, such as "12.5", ${describeSize({ precision, scale })}`
  return (json) => {
    const match = typeof json === 'string' ? plainDecimal.exec(json) : null
    if (match === null) return { expected }
    const [, sign = '', before = '', after = ''] = match
    const digits = before === '0' ? 0 : before.length
    const fits =
      scale === undefined
        ? digits + after.length <= precision
        : digits <= whole && after.length <= scale
    return fits ? { value: canonical(sign, before, after) } : { expected }
  }
}

function describeSize({ precision, scale }: Required<DecimalSize>): string {
  if (scale === undefined) return `of at most ${precision} digits`
  return `with at most ${Number(precision) - scale} digits before the point and ${scale} after it`
}

/** The pattern of decimal numbers of a size, as far as a regular expression says it without counting twice. */
export function decimalPattern({ precision = maxDigits, scale }: DecimalSize): string {
  const whole = precision - (scale ?? 0)
  const before = whole === 0 ? '0' : whole === 1 ? '\\d' : `(0|[1-9]\\d{0,${whole - 1}})`
  const after = scale === 0 ? '' : `(\\.\\d{1,${scale ?? precision}})?`
  return `^-?${before}${after}$`
}

/** Tells a decimal number with at least so many digits after the point; what the table has beyond them is told too. */
export function padScale(value: string, scale: number): string {
  const point = value.indexOf('.')
  const after = point === -1 ? 0 : value.length - point - 1
  if (after >= scale) return value
  return `${value}${point === -1 ? '.' : ''}${'0'.repeat(scale - after)}`
}

/** Any spelling of a decimal number: by us, by JavaScript for a float, by whoever filled the table. */
const anyDecimal = /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/

/**
 * The canonical spelling of a decimal number in any spelling: plain, without leading zeros, without trailing zeros
 * after the point, never `-0`.
 * @throws Error when it is none, `Infinity` included
 */
export function canonicalDecimal(text: string): string {
  const match = anyDecimal.exec(text)
  if (match === null) throw storedValueError(text, 'decimal')
  const [, sign = '', before = '', after = '', exponent = '0'] = match
  const shift = Number(exponent)
  if (shift === 0) return canonical(sign, before, after)
  const digits = before + after
  const point = before.length + shift
  if (point <= 0) return canonical(sign, '', '0'.repeat(-point) + digits)
  return canonical(sign, digits.slice(0, point).padEnd(point, '0'), digits.slice(point))
}

function canonical(sign: string, before: string, after: string): string {
  const whole = before.replace(/^0+/, '') || '0'
  const fraction = trimTrailingZeros(after)
  const number = fraction === '' ? whole : `${whole}.${fraction}`
  return sign === '-' && number !== '0' ? `-${number}` : number
}

/** The digits up to the last that is not 0. */
export function trimTrailingZeros(digits: string): string {
  let end = digits.length
  while (end > 0 && digits[end - 1] === '0') end -= 1
  return digits.slice(0, end)
}

/** Added to an exponent to make it positive; no text that a database holds is so long. */
const exponentBase = 5_000_000_000

/**
 * A text for each decimal number, such that texts in code-point order are numbers in their order, and equal texts
 * equal numbers: the sign, the place of the first digit, the digits; all turned round for negative numbers.
 * @param value - in canonical spelling
 */
export function decimalKey(value: string): string {
  if (value === '0') return '1'
  const isNegative = value.startsWith('-')
  const [before = '', after = ''] = (isNegative ? value.slice(1) : value).split('.')
  const digits = before === '0' ? after.replace(/^0+/, '') : before + after
  const place = before === '0' ? digits.length - after.length : before.length
  const size = String(exponentBase + place) + trimTrailingZeros(digits)
  // Of two negative numbers the longer one with the same start is the lower one; `:` comes after every digit.
  return isNegative ? `0${size.replace(/\d/g, (digit) => String(9 - Number(digit)))}:` : `2${size}`
}
