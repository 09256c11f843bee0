import {
  attempt,
  type ErrorCollector,
  type ErrorList,
  emptyCollector,
  noErrors,
  report,
} from '../errors/collector.ts'
import { ParameterError, quoted } from '../errors/errors.ts'
import { readFields } from './fields.ts'
import { type FilterClause, readFilter, readSimpleFilter, tooManyTerms } from './filter.ts'
import { filterLimits } from './filter-limits.ts'
import { readInclude } from './include.ts'
import { type PageWords, readPageNumber, readPageSize } from './page.ts'
import { readSort, type SortTerm } from './sort.ts'

type Pair = readonly [name: string, value: string]

/** A query string as it was meant to be understood; names are words still, nothing is looked up. */
export interface ApiQuery {
  /** Names and values, decoded, in the order sent. */
  readonly pairs: readonly Pair[]
  /** All of them hold together (AND). */
  readonly filter: readonly FilterClause[]
  readonly sort: readonly SortTerm[]
  readonly page: PageWords
  /** Paths of names; `undefined` when the parameter was not sent, `[]` when it was sent empty. */
  readonly include: readonly (readonly string[])[] | undefined
  /** Field names by resource type. */
  readonly fields: ReadonlyMap<string, readonly string[]>
  /** What is wrong with the words themselves, to be told with what is wrong with their meaning. */
  readonly faults: ErrorList
}

/** A query as it is read. */
interface Draft extends ApiQuery {
  readonly filter: FilterClause[]
  sort: readonly SortTerm[]
  page: PageWords
  include: readonly (readonly string[])[] | undefined
  readonly fields: Map<string, readonly string[]>
  /** How many terms the filters have so far. */
  terms: number
  readonly faults: ErrorCollector
}

/** The query of a request that has none. */
export const emptyQuery: ApiQuery = {
  pairs: [],
  filter: [],
  sort: [],
  page: {},
  include: undefined,
  fields: new Map(),
  faults: noErrors,
}

/**
 * Reads a query string: one reader for all routes.
 *
 * @param raw - what follows the `?`; brackets may be encoded or not, `+` is a space (WHATWG form decoding)
 * @returns the words, and beside them every fault (400) of every parameter
 * @see SERVICE §5; JSON:API 1.0, Query Parameters
 */
export function readQuery(raw: string): ApiQuery {
  if (raw === '') return emptyQuery
  const errors = emptyCollector()
  const pairs = attempt(() => decodePairs(raw), errors) ?? []
  const draft: Draft = {
    pairs,
    filter: [],
    sort: [],
    page: {},
    include: undefined,
    fields: new Map(),
    terms: 0,
    faults: errors,
  }
  const seen = new Set<string>()
  for (const [name, value] of pairs) {
    if (seen.has(name) && !name.startsWith('filter[')) report(errors, () => repeated(name))
    else attempt(() => readParameter(name, value, draft), errors)
    seen.add(name)
  }
  return draft
}

/** Writes a query string with its `?`, every reserved character encoded (JSON:API 1.0, Query Parameters); empty for none. */
export function writeQuery(pairs: readonly Pair[]): string {
  if (pairs.length === 0) return ''
  return `?${pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')}`
}

function readParameter(name: string, value: string, draft: Draft): void {
  const [, family, inner] = /^(filter|fields)\[([^[\]]+)\]$/s.exec(name) ?? []
  if (family === 'filter' && inner !== undefined) addSimpleFilter(name, inner, value, draft)
  else if (family === 'fields' && inner !== undefined) addFields(name, inner, value, draft)
  else if (name === 'filter') addFilter(value, draft)
  else if (name === 'sort') draft.sort = readSort(value)
  else if (name === 'page[size]') draft.page = { ...draft.page, size: readPageSize(value) }
  else if (name === 'page[number]') draft.page = { ...draft.page, number: readPageNumber(value) }
  else if (name === 'include') draft.include = readInclude(value)
  else report(draft.faults, () => unknownParameter(name))
}

function addFilter(text: string, draft: Draft): void {
  const { clauses, terms } = readFilter(text, filterLimits.terms - draft.terms)
  draft.filter.push(...clauses)
  draft.terms += terms
}

function addSimpleFilter(parameter: string, name: string, text: string, draft: Draft): void {
  draft.terms += 1
  if (draft.terms <= filterLimits.terms) draft.filter.push(readSimpleFilter(parameter, name, text))
  // Once is enough.
  else if (draft.terms === filterLimits.terms + 1) throw tooManyTerms(parameter)
}

function addFields(parameter: string, type: string, text: string, draft: Draft): void {
  const names = readFields(parameter, text, draft.faults)
  if (names) draft.fields.set(type, names)
}

function repeated(name: string): ParameterError {
  const detail = `The parameter ${quoted(name)} is sent more than once.`
  return new ParameterError('repeated_parameter', name, detail)
}

function unknownParameter(name: string): ParameterError {
  const known =
    'filter, filter[<field>], sort, page[size], page[number], include and fields[<type>]'
  return new ParameterError(
    'unknown_parameter',
    name,
    `There is no parameter ${quoted(name)}; there are ${known}.`,
  )
}

/** WHATWG form decoding, except that bytes which are no UTF-8 are refused instead of replaced. */
function decodePairs(raw: string): [name: string, value: string][] {
  return raw
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const equals = part.indexOf('=')
      const name = equals === -1 ? part : part.slice(0, equals)
      return [decode(name, name), decode(equals === -1 ? '' : part.slice(equals + 1), name)]
    })
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A text whose every character stands for itself. */
const plain = /^[\w.,~!*'()[\]{}":;@$/?-]*$/

function decode(text: string, parameter: string): string {
  if (plain.test(text)) return text
  const spaced = text.replaceAll('+', ' ')
  const decoded = decodeAscii(spaced) ?? decodeBytes(spaced)
  if (decoded !== undefined) return decoded
  throw new ParameterError(
    'invalid_encoding',
    parameter,
    `${quoted(text)} is not UTF-8 once its percent signs are decoded; a percent sign itself is written %25.`,
  )
}

/** What nearly every client sends, decoded as `decodeBytes` would and many times as fast; `undefined` for anything else. */
function decodeAscii(text: string): string | undefined {
  if (!/^\p{ASCII}*$/u.test(text)) return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Any text whose bytes are UTF-8 once percent signs are decoded; one that stands before no two digits is itself. */
function decodeBytes(text: string): string | undefined {
  // Node hands the request line over as latin1: one character, one byte.
  const bytes = Buffer.from(text, 'latin1').toString('latin1')
  const decoded = bytes.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  try {
    return utf8.decode(Buffer.from(decoded, 'latin1'))
  } catch {
    return undefined
  }
}
