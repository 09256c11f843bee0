import { ParameterError, quoted } from '../errors/errors.ts'

/** The `page` family as sent: `size` in resources, where 0 means all; `number` counted from 1. Both may be absent. */
export interface PageWords {
  readonly size?: number
  readonly number?: number
}

/**
 * Reads `page[size]`.
 * @throws ParameterError `invalid_page` (400) unless it is a whole number, 0 or more
 * @see seed §8; SERVICE §5
 */
export function readPageSize(text: string): number {
  return wholeNumber('page[size]', text, 0)
}

/**
 * Reads `page[number]`.
 * @throws ParameterError `invalid_page` (400) unless it is a whole number, 1 or more
 * @see seed §8; SERVICE §5
 */
export function readPageNumber(text: string): number {
  return wholeNumber('page[number]', text, 1)
}

function wholeNumber(parameter: string, text: string, least: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && Number.isSafeInteger(value)) return value
  const range = `a whole number from ${least} to ${Number.MAX_SAFE_INTEGER}`
  throw new ParameterError(
    'invalid_page',
    parameter,
    `${parameter} must be ${range}; it is ${quoted(text)}.`,
  )
}
