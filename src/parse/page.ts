import { ParameterError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'

/** The `page` parameters as sent. Each may be absent. */
export interface ParsedPage {
  /** Resources per page; 0 means all. */
  readonly size?: number
  /** The page, counted from 1. */
  readonly number?: number
}

/**
 * Parses `page[size]`.
 * @throws ParameterError `invalid_page` (400) unless the text is an integer ≥ 0
 * @see https://jsonapi.org/format/1.0/#fetching-pagination
 */
export function parsePageSize(text: string): number {
  return parseInteger('page[size]', text, 0)
}

/**
 * Parses `page[number]`.
 * @throws ParameterError `invalid_page` (400) unless the text is an integer ≥ 1
 * @see https://jsonapi.org/format/1.0/#fetching-pagination
 */
export function parsePageNumber(text: string): number {
  return parseInteger('page[number]', text, 1)
}

function parseInteger(parameter: string, text: string, min: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && Number.isSafeInteger(value)) return value
  const range = `a whole number from ${min} to ${Number.MAX_SAFE_INTEGER}`
  throw new ParameterError(
    'invalid_page',
    parameter,
    `${parameter} must be ${range}; it is ${quote(text)}.`,
  )
}
