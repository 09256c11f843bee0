import { ParameterError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { relocateErrors } from '../errors/relocate.ts'
import { createEmptyNameError } from './empty-name.ts'
import { type FilterClause, parseFilter } from './filter.ts'
import { parseSort, type SortTerm } from './sort.ts'

/** What a request says about the members of an include path: which of them a document has, and in which order. */
export interface ParsedIncludePage {
  /** The most members of each resource. */
  readonly size?: number
  /** The cursor behind which the members of the only resource start, sealed. */
  readonly after?: string
  readonly sort?: Readonly<{ text: string; terms: readonly SortTerm[] }>
  readonly filter?: Readonly<{ text: string; clauses: readonly FilterClause[] }>
}

/** The parameters of an include path, by what they say. */
const parameters = {
  'Page[size]': 'size',
  'Page[after]': 'after',
  Sort: 'sort',
  Filter: 'filter',
} as const

/** The parts of the name of a parameter of an include path. */
interface IncludeParameter {
  /** The relationship path, with dots. */
  readonly path: string
  readonly is: keyof ParsedIncludePage
}

/** Parses the name of a parameter of an include path; `undefined` for another one. */
export function parseIncludeParameter(name: string): IncludeParameter | undefined {
  const [, family = '', path = '', member = ''] =
    /^include(Page|Sort|Filter)\[([^[\]]+)\](\[(?:size|after)\])?$/s.exec(name) ?? []
  const key = `${family}${member}`
  return Object.hasOwn(parameters, key)
    ? // It is one of the keys.
      { path, is: parameters[key as keyof typeof parameters] }
    : undefined
}

/** Writes the name of a parameter of an include path. */
export function nameIncludeParameter(path: string, is: keyof ParsedIncludePage): string {
  switch (is) {
    case 'size':
    case 'after':
      return `includePage[${path}][${is}]`
    case 'sort':
      return `includeSort[${path}]`
    case 'filter':
      return `includeFilter[${path}]`
  }
}

/**
 * Parses the value of a parameter of an include path.
 * @param maxTerms - how many filter terms the request's other filters leave
 * @returns what it says, and the number of its filter terms
 * @throws ApiError | ManyErrors `invalid_include`, `invalid_page`, `invalid_sort` or `invalid_filter` (400)
 */
export function parseIncludePage(
  parameter: string,
  { path, is }: IncludeParameter,
  text: string,
  maxTerms: number,
): Readonly<{ page: ParsedIncludePage; terms: number }> {
  if (path.split('.').includes('')) throw createEmptyNameError('invalid_include', parameter, path)
  switch (is) {
    case 'size':
      return { page: { size: parseSize(parameter, text) }, terms: 0 }
    case 'after':
      return { page: { after: text }, terms: 0 }
    case 'sort': {
      const terms = relocateErrors({ from: 'sort', to: parameter }, () => parseSort(text))
      return { page: { sort: { text, terms } }, terms: 0 }
    }
    case 'filter': {
      const { clauses, terms } = relocateErrors({ from: 'filter', to: parameter }, () =>
        parseFilter(text, maxTerms),
      )
      return { page: { filter: { text, clauses } }, terms }
    }
  }
}

function parseSize(parameter: string, text: string): number {
  const size = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (size >= 1 && Number.isSafeInteger(size)) return size
  const remedy = size === 0 ? '; to include nothing, leave the path out of include' : ''
  const detail = `${parameter} must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}; it is ${quote(text)}${remedy}.`
  throw new ParameterError('invalid_page', parameter, detail)
}
