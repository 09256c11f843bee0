import {
  attempt,
  type ErrorCollector,
  type ErrorList,
  emptyCollector,
  noErrors,
  report,
} from '../errors/collector.ts'
import { ParameterError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { encodeQuery, type Pair } from './encode-query.ts'
import { parseFields } from './fields.ts'
import {
  type FilterClause,
  filterLimits,
  type Operand,
  parseFieldFilter,
  parseFieldFilterName,
  parseFilter,
  tooManyTerms,
} from './filter.ts'
import { parseInclude } from './include.ts'
import { type ParsedIncludePage, parseIncludePage, parseIncludeParameter } from './include-page.ts'
import { describeRemedy } from './other-idioms.ts'
import { type ParsedPage, parsePage } from './page.ts'
import { findParameterName, listQueryParameters, type ParameterName } from './parameters.ts'
import { parseSort, type SortTerm } from './sort.ts'
import { parseWithCount } from './with-count.ts'

/** A parsed query string. Its names are not looked up yet. */
export interface ParsedQuery {
  /** Names and values, decoded, in the order sent. */
  readonly pairs: readonly Pair[]
  /** The clauses of all filter parameters, joined by AND. */
  readonly filter: readonly FilterClause[]
  readonly sort: readonly SortTerm[]
  readonly page: ParsedPage
  /** Relationship paths; `undefined` if the parameter is absent, `[]` if its value is empty. */
  readonly include: readonly (readonly string[])[] | undefined
  /** What the request says about the members of an include path, by path. */
  readonly includePages: ReadonlyMap<string, ParsedIncludePage>
  /** The names of the relationships whose related resources are counted; `undefined` if the parameter is absent. */
  readonly withCount: readonly string[] | undefined
  /** Whether resource objects show their version; `undefined` if the parameter is absent. */
  readonly withVersions: boolean | undefined
  /** Field names by resource type. */
  readonly fields: ReadonlyMap<string, readonly string[]>
  /** Syntax errors. Planning reports them together with the errors that it finds. */
  readonly errors: ErrorList
}

/** A query while it is parsed. */
interface QueryBuilder extends ParsedQuery {
  readonly filter: FilterClause[]
  sort: readonly SortTerm[]
  page: ParsedPage
  include: readonly (readonly string[])[] | undefined
  withCount: readonly string[] | undefined
  withVersions: boolean | undefined
  readonly includePages: Map<string, ParsedIncludePage>
  readonly fields: Map<string, readonly string[]>
  /** The number of filter terms so far. */
  terms: number
  /** The texts of each parameter `filter[name][]`. */
  readonly lists: Map<string, string[]>
  readonly errors: ErrorCollector
}

/** The result for an empty query string; shared, because most requests have none. */
const emptyQuery: ParsedQuery = {
  pairs: [],
  filter: [],
  sort: [],
  page: {},
  include: undefined,
  includePages: new Map(),
  withCount: undefined,
  withVersions: undefined,
  fields: new Map(),
  errors: noErrors,
}

/**
 * Parses a query string. It accepts the same parameters on every route.
 *
 * @param search - the text after the `?`; brackets may be percent-encoded, `+` is a space (WHATWG form decoding)
 * @returns the parsed parameters, with the errors (400) of all parameters in `errors`
 * @see https://jsonapi.org/format/1.0/#query-parameters
 */
export function parseQuery(search: string): ParsedQuery {
  if (search === '') return emptyQuery
  const errors = emptyCollector()
  const pairs = attempt(() => decodePairs(search), errors) ?? []
  const builder: QueryBuilder = {
    pairs,
    filter: [],
    sort: [],
    page: {},
    include: undefined,
    includePages: new Map(),
    withCount: undefined,
    withVersions: undefined,
    fields: new Map(),
    terms: 0,
    lists: new Map(),
    errors,
  }
  const seen = new Set<string>()
  for (const [name, value] of pairs) {
    if (seen.has(name) && !name.startsWith('filter[')) report(errors, () => repeatedError(name))
    else attempt(() => parseParameter(name, value, builder), errors)
    seen.add(name)
  }
  return builder
}

/** Parses a parameter. @param name - with its brackets */
type ParseParameter = (name: string, value: string, builder: QueryBuilder) => void

const parsers: Readonly<Record<ParameterName, ParseParameter>> = {
  filter: (name, value, builder) =>
    name === 'filter' ? addFilter(value, builder) : addFieldFilter(name, value, builder),
  sort: (_, value, builder) => {
    builder.sort = parseSort(value)
  },
  page: (name, value, builder) => {
    builder.page = { ...builder.page, ...parsePage(name, value) }
  },
  include: (_, value, builder) => {
    builder.include = parseInclude(value)
  },
  includePage: addIncludePage,
  includeSort: addIncludePage,
  includeFilter: addIncludePage,
  withCount: (_, value, builder) => {
    builder.withCount = parseWithCount(value)
  },
  withVersions: (_, value, builder) => {
    builder.withVersions = parseWithVersions(value)
  },
  fields: addFields,
}

function parseParameter(name: string, value: string, builder: QueryBuilder): void {
  const found = findParameterName(name)
  if (found) parsers[found](name, value, builder)
  else report(builder.errors, () => createUnknownError(name, builder.pairs))
}

function addIncludePage(name: string, text: string, builder: QueryBuilder): void {
  const parameter = parseIncludeParameter(name)
  if (parameter === undefined) return
  const { path } = parameter
  const maxTerms = filterLimits.terms - builder.terms
  const { page, terms } = parseIncludePage(name, parameter, text, maxTerms)
  builder.terms += terms
  builder.includePages.set(path, { ...builder.includePages.get(path), ...page })
}

/** @throws ParameterError `invalid_versions` (400) */
function parseWithVersions(text: string): boolean {
  if (text === 'true') return true
  if (text === 'false') return false
  const detail = `withVersions must be true or false; it is ${quote(text)}.`
  throw new ParameterError('invalid_versions', 'withVersions', detail)
}

function addFilter(text: string, builder: QueryBuilder): void {
  const { clauses, terms } = parseFilter(text, filterLimits.terms - builder.terms)
  builder.filter.push(...clauses)
  builder.terms += terms
}

function addFieldFilter(parameter: string, text: string, builder: QueryBuilder): void {
  const filter = parseFieldFilterName(parameter)
  if (filter === undefined) return
  const texts = builder.lists.get(parameter)
  if (texts !== undefined) {
    texts.push(text)
    return
  }
  builder.terms += 1
  if (builder.terms <= filterLimits.terms)
    builder.filter.push(parseFieldFilter(parameter, filter, startOperand(parameter, text, builder)))
  // Only the first parameter above the limit is an error.
  else if (builder.terms === filterLimits.terms + 1) throw tooManyTerms(parameter)
}

/** The operand of a parameter, to which a list adds the texts of the same parameter that follow. */
function startOperand(parameter: string, text: string, { lists }: QueryBuilder): Operand {
  if (!parameter.endsWith('[]')) return { is: 'text', text }
  const texts = [text]
  lists.set(parameter, texts)
  return { is: 'texts', texts }
}

function addFields(parameter: string, text: string, builder: QueryBuilder): void {
  const type = parameter.slice('fields['.length, -1)
  const names = parseFields(parameter, text, builder.errors)
  if (names) builder.fields.set(type, names)
}

/** Encodes a query string as links repeat it, with its `?`. @throws ParameterError `invalid_encoding` (400) */
export function canonicalizeSearch(search: string): string {
  return encodeQuery(decodePairs(search))
}

function repeatedError(name: string): ParameterError {
  const detail = `The parameter ${quote(name)} is sent more than once.`
  return new ParameterError('repeated_parameter', name, detail)
}

/**
 * The error for a parameter that does not exist.
 * @param findField - as that of `describeRemedy`; absent if the type of the resources is not known
 */
export function createUnknownError(
  name: string,
  pairs: readonly Pair[],
  findField: Parameters<typeof describeRemedy>[2] = () => undefined,
): ParameterError {
  const find = (other: string) => pairs.find(([each]) => each === other)?.[1]
  const remedy =
    describeRemedy(name, find, findField) ?? `the parameters are ${listQueryParameters()}`
  const detail = `There is no parameter ${quote(name)}; ${remedy}.`
  return new ParameterError('unknown_parameter', name, detail)
}

/**
 * Decodes as WHATWG forms do, but rejects bytes that are not UTF-8 instead of replacing them.
 * @throws ParameterError `invalid_encoding` (400)
 */
export function decodePairs(search: string): [name: string, value: string][] {
  return search
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const equals = part.indexOf('=')
      const name = equals === -1 ? part : part.slice(0, equals)
      return [decode(name, name), decode(equals === -1 ? '' : part.slice(equals + 1), name)]
    })
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A text without escapes, spaces and bytes above 127: it decodes to itself. */
const unescaped = /^[\w.,~!*'()[\]{}":;@$/?-]*$/

function decode(text: string, parameter: string): string {
  if (unescaped.test(text)) return text
  const spaced = text.replaceAll('+', ' ')
  const decoded = decodeAscii(spaced) ?? decodeBytes(spaced)
  if (decoded !== undefined) return decoded
  throw new ParameterError(
    'invalid_encoding',
    parameter,
    `${quote(text)} is not UTF-8 after percent-decoding; write a literal percent sign as %25.`,
  )
}

/** Decodes what most clients send, many times as fast as `decodeBytes`; `undefined` if that function is needed. */
function decodeAscii(text: string): string | undefined {
  if (!/^\p{ASCII}*$/u.test(text)) return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/**
 * Decodes any text whose bytes are UTF-8 after percent-decoding; `undefined` for other texts. A percent sign that two hex
 * digits do not follow stands for itself.
 */
function decodeBytes(text: string): string | undefined {
  // Node decodes the request line as latin1: each character is one byte.
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
