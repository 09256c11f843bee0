import { attempt, collectErrors, emptyCollector, report, throwErrors } from '../errors/collector.ts'
import { ParameterError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { isObject } from '../model/kinds/json.ts'
import {
  describeJsonError,
  describeJsonType,
  findRepeated,
  NestingError,
  parseJson,
} from './json.ts'
import { findComparisonForm, findFilterArray } from './other-idioms.ts'

/** Limits on the work that the filters of one request may cause; every supported database can execute a filter within them. */
export const filterLimits = {
  /** Nesting levels of `and`, `or`, `not`, `any` and `has`; below the expression depth limit of each database. */
  depth: 100,
  /** Comparisons in all `filter` parameters of a request, nested ones included. */
  terms: 200,
  /** Values of one list; the query string of a URL has fewer. */
  values: 20_000,
  /** Nested relationships; databases limit the depth of subqueries. */
  relationships: 20,
  /** Relationships in all terms together; each becomes a subquery. */
  subqueries: 200,
  /** Characters in the value of a text search operator. */
  patternLength: 1000,
  /** `%` in a pattern; a database may try each one at every character of a text. */
  wildcards: 30,
  /** Words in the value of `match`. */
  words: 30,
} as const

/** The source location of a part of a filter: its parameter, and the path from there, e.g. `filter[0].or[1]`. */
interface FilterLocation {
  readonly parameter: string
  readonly path: string
}

/**
 * The right side of a predicate: a JSON value, the text of `filter[x]=text` or `filter[x][gt]=text`, the texts of all `filter[x][]`,
 * another field, or a nested filter.
 */
export type Operand =
  | Readonly<{ is: 'value'; value: unknown }>
  | Readonly<{ is: 'text'; text: string }>
  | Readonly<{ is: 'texts'; texts: readonly string[] }>
  | Readonly<{ is: 'field'; name: string }>
  | Readonly<{ is: 'filter'; where: FilterClause | undefined }>

/** The syntax tree of a filter. Its grammar is valid; its names are not looked up yet. */
export type FilterClause =
  | Readonly<{
      is: 'predicate'
      location: FilterLocation
      name: string
      operator: string
      operand: Operand
    }>
  | Readonly<{ is: 'and' | 'or'; all: readonly [FilterClause, ...FilterClause[]] }>
  | Readonly<{ is: 'not'; inner: FilterClause }>

type JsonObject = Readonly<Record<string, unknown>>

const parameter = 'filter'

/** The result of parsing one `filter` parameter. */
interface ParsedFilter {
  /** Joined by AND. */
  readonly clauses: readonly FilterClause[]
  /** The number of predicates, nested ones included. */
  readonly terms: number
}

/**
 * Parses `filter`: a JSON array of filter objects, joined by AND.
 * @param maxTerms - how many terms the request's other filters leave
 * @throws ApiError | ManyErrors `invalid_filter` (400) with every error and its location
 * @see https://jsonapi.org/format/1.0/#fetching-filtering
 */
export function parseFilter(text: string, maxTerms: number): ParsedFilter {
  const json = parseFilterJson(text)
  const errors = emptyCollector()
  for (const path of findRepeated(text)) report(errors, () => repeatedError(path))
  throwErrors(errors)
  if (!Array.isArray(json)) {
    const form = isObject(json) ? findFilterArray(json) : undefined
    const remedy = form === undefined ? '' : `; send ${form} instead`
    const problem = `must be a JSON array of filter objects; it is ${describeJsonType(json)}`
    throw filterError('filter', problem + remedy)
  }
  const terms = countTerms(json)
  if (terms > maxTerms) throw tooManyTerms(parameter)
  return { clauses: parseClauses(json, 'filter', 1), terms }
}

/**
 * Parses the filter objects of a declaration, joined by AND.
 * @param path - where they are declared; the location of every error starts with it
 * @throws ApiError | ManyErrors `invalid_filter` (400) with every error and its location
 */
export function parseFilterObjects(list: readonly unknown[], path: string): FilterClause[] {
  return parseClauses(list, path, 1)
}

/** The error of a request whose filters have too many terms in all; its source is the parameter that exceeds the limit. */
export function tooManyTerms(parameter: string): ParameterError {
  const detail = `${parameter}: more than ${filterLimits.terms} filter terms in one request; use "in_" with a list of values instead of many "eq", or send several requests.`
  return new ParameterError('invalid_filter', parameter, detail)
}

/** Counts predicates before they are validated: anything in the position of a predicate counts as one. */
function countTerms(json: unknown): number {
  if (Array.isArray(json))
    return Math.max(
      1,
      json.reduce((sum, item) => sum + countTerms(item), 0),
    )
  if (!isObject(json)) return 1
  const { and, or, not, op, val } = json
  if (op === 'any' || op === 'has') return 1 + (val ? countTerms(val) : 0)
  const group = and ?? or ?? not
  return group === undefined ? 1 : countTerms(group)
}

/** The parts of a parameter `filter[name]`, `filter[name][operator]`, `filter[name][]` or `filter[name][operator][]`. */
interface FieldFilter {
  /** With `__` between the names of a path, for which clients may write a dot. */
  readonly name: string
  /** Default: `in_` for a list, else `eq`. */
  readonly operator: string
  readonly isList: boolean
}

/** Parses the name of a parameter `filter[…]`; `undefined` for another one. */
export function parseFieldFilterName(parameter: string): FieldFilter | undefined {
  const match = /^filter\[([^[\]]+)\](?:\[([^[\]]+)\])?(\[\])?$/s.exec(parameter)
  const [, path, operator, brackets] = match ?? []
  if (path === undefined) return undefined
  const isList = brackets !== undefined
  const name = path.replaceAll('.', '__')
  return { name, operator: operator ?? (isList ? 'in_' : 'eq'), isList }
}

/**
 * Parses `filter[name]=text`: the field equals the text. The text never means null or an operator; the plan cache depends on it
 * (`src/plan/cache/auto-parameterization.ts`).
 * @param parameter - the name of the parameter with its brackets, e.g. `filter[name]`
 */
export function parseFieldFilter(
  parameter: string,
  { name, operator }: FieldFilter,
  operand: Operand,
): FilterClause {
  return { is: 'predicate', location: { parameter, path: parameter }, name, operator, operand }
}

/** The error for a member whose name is repeated in its object. */
function repeatedError(path: readonly (string | number)[]): ParameterError {
  const tokens = path.map((token) => (typeof token === 'number' ? `[${token}]` : `.${token}`))
  return filterError(
    `filter${tokens.join('')}`,
    'is sent more than once in its object; remove all but one',
  )
}

function parseFilterJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof NestingError) throw filterError('filter', error.message)
    const form = findComparisonForm(text)
    const remedy = form === undefined ? '' : `; send ${form} instead`
    throw filterError('filter', `is not JSON: ${describeJsonError(error)}${remedy}`)
  }
}

function parseClauses(list: readonly unknown[], path: string, depth: number): FilterClause[] {
  const errors = emptyCollector()
  const clauses = list.map((json, index) =>
    attempt(() => parseClause(json, `${path}[${index}]`, depth), errors),
  )
  throwErrors(errors)
  return clauses.filter((clause) => clause !== undefined)
}

function parseClause(json: unknown, path: string, depth: number): FilterClause {
  if (depth > filterLimits.depth)
    throw filterError(path, `is nested more than ${filterLimits.depth} deep`)
  if (!isObject(json))
    throw filterError(path, `must be a filter object; it is ${describeJsonType(json)}`)
  const members = Object.keys(json)
  const [first] = members
  if (members.length === 1 && (first === 'and' || first === 'or')) {
    return parseGroup(first, json[first], `${path}.${first}`, depth)
  }
  if (members.length === 1 && first === 'not') {
    return { is: 'not', inner: parseClause(json[first], `${path}.not`, depth + 1) }
  }
  return parsePredicate(json, path, depth)
}

function parseGroup(is: 'and' | 'or', json: unknown, path: string, depth: number): FilterClause {
  if (!Array.isArray(json))
    throw filterError(path, `must be an array of filter objects; it is ${describeJsonType(json)}`)
  const [first, ...others] = parseClauses(json, path, depth + 1)
  if (first === undefined) throw filterError(path, 'must contain at least one filter object')
  return { is, all: [first, ...others] }
}

function parsePredicate(json: JsonObject, path: string, depth: number): FilterClause {
  const unknown = Object.keys(json).find(
    (member) => !['name', 'op', 'val', 'field'].includes(member),
  )
  if (unknown !== undefined) {
    const syntax = '{name, op, val}, {name, op, field}, {and: […]}, {or: […]} or {not: {…}}'
    throw filterError(path, `has the member ${quote(unknown)}; a filter object is ${syntax}`)
  }
  const parts = collectErrors({
    name: () => parseName(json.name, `${path}.name`, 'the name of a field'),
    operator: () => parseName(json.op, `${path}.op`, 'the name of an operator'),
    operand: () => parseOperand(json, path, depth),
  })
  return { is: 'predicate', location: { parameter, path }, ...parts }
}

function parseName(json: unknown, path: string, expected: string): string {
  if (typeof json === 'string') return json
  throw filterError(path, `must be ${expected}; it is ${describeJsonType(json)}`)
}

function parseOperand(json: JsonObject, path: string, depth: number): Operand {
  const { op, val, field } = json
  const hasVal = Object.hasOwn(json, 'val')
  const hasField = Object.hasOwn(json, 'field')
  if (hasVal && hasField) throw filterError(path, 'has both "val" and "field"; remove one of them')
  if (op === 'any' || op === 'has') {
    if (hasField)
      throw filterError(
        `${path}.field`,
        `${quote(op)} takes a nested filter in "val", not a "field"`,
      )
    return { is: 'filter', where: parseNestedFilter(val, `${path}.val`, depth + 1) }
  }
  if (hasVal) return { is: 'value', value: val }
  if (!hasField)
    throw filterError(path, 'must have "val", a value, or "field", the name of a field')
  return { is: 'field', name: parseName(field, `${path}.field`, 'the name of a field') }
}

/**
 * Parses the `val` of `any` or `has`; the clauses of an array are joined by AND.
 * @returns `undefined` for an absent or null `val`, which every related resource matches
 */
function parseNestedFilter(json: unknown, path: string, depth: number): FilterClause | undefined {
  if (json === undefined || json === null) return undefined
  if (!Array.isArray(json)) return parseClause(json, path, depth)
  const [first, ...others] = parseClauses(json, path, depth)
  return first === undefined ? undefined : { is: 'and', all: [first, ...others] }
}

/** @param problem - the rest of the detail's sentence after the path, without its period */
function filterError(path: string, problem: string): ParameterError {
  return new ParameterError('invalid_filter', parameter, `${path}: ${problem}.`, { path })
}
