import { ParameterError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'

/** How the resources on all pages are counted: exactly, exactly up to a limit, or not at all. */
export type PageTotal = 'exact' | 'capped' | 'none'

/** The `page` parameters as sent. Each may be absent. */
export interface ParsedPage {
  /** Resources per page; 0 means all. */
  readonly size?: number
  /** The page, counted from 1. */
  readonly number?: number
  /** The cursor behind which the page starts, sealed. */
  readonly after?: string
  /** The cursor in front of which the page ends, sealed. */
  readonly before?: string
  readonly total?: PageTotal
  /** Whether each resource comes with its cursor. */
  readonly cursors?: boolean
}

const parsers: Readonly<Record<string, (text: string) => ParsedPage>> = {
  size: (text) => ({ size: /^0+$/.test(text) ? 0 : parseInteger('page[size]', text, orNone) }),
  number: (text) => ({ number: parseInteger('page[number]', text) }),
  after: (after) => ({ after }),
  before: (before) => ({ before }),
  total: (text) => ({ total: parseChoice('page[total]', text, totals) }),
  cursors: (text) => ({
    cursors: parseChoice('page[cursors]', text, ['true', 'false']) === 'true',
  }),
}

/** What 0 means is known once the page is planned: those with cursors or a maximum do not have it. */
const orNone = ', or 0 for all resources where pages have numbers and no maximum'

const totals = ['exact', 'capped', 'none'] as const

/** The names in brackets of the parameters of pages. */
export const pageMembers: readonly string[] = Object.keys(parsers)

/**
 * Parses a parameter of pages.
 * @param name - one of `pageMembers`, behind `page` in brackets
 * @throws ParameterError `invalid_page` (400) if the text is none of the values of the parameter: of `page[size]` an integer ≥ 0, of
 *   `page[number]` an integer ≥ 1
 * @see https://jsonapi.org/format/1.0/#fetching-pagination
 */
export function parsePage(name: string, text: string): ParsedPage | undefined {
  return parsers[name.slice('page['.length, -1)]?.(text)
}

/** @param alternative - a value that is allowed too */
function parseInteger(parameter: string, text: string, alternative = ''): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= 1 && Number.isSafeInteger(value)) return value
  const range = `a whole number from 1 to ${Number.MAX_SAFE_INTEGER}${alternative}`
  throw invalidPage(parameter, `${range}; it is ${quote(text)}.`)
}

function parseChoice<Choice extends string>(
  parameter: string,
  text: string,
  choices: readonly Choice[],
): Choice {
  const found = choices.find((choice) => choice === text)
  if (found !== undefined) return found
  throw invalidPage(parameter, `one of ${choices.join(', ')}; it is ${quote(text)}.`)
}

function invalidPage(parameter: string, rest: string): ParameterError {
  return new ParameterError('invalid_page', parameter, `${parameter} must be ${rest}`)
}
