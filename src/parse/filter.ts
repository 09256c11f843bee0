import { attempt, emptyCollector, refuse, together } from '../errors/collector.ts'
import { ParameterError, quoted } from '../errors/errors.ts'
import { filterLimits } from './filter-limits.ts'
import { isObject, jsonComplaint, kindOfJson, NestingError, parseJson } from './json.ts'

/** Where a word of a filter stands: the parameter, and the way to it from there, e.g. `filter[0].or[1]`. */
export interface FilterPlace {
  readonly parameter: string
  readonly path: string
}

/** What a field is compared with: a JSON value, the text of `filter[x]=text`, another field, or a nested filter. */
export type Operand =
  | Readonly<{ is: 'value'; value: unknown }>
  | Readonly<{ is: 'text'; text: string }>
  | Readonly<{ is: 'field'; name: string }>
  | Readonly<{ is: 'filter'; where: FilterClause | undefined }>

/** A filter as words: its grammar is right, its names may mean nothing. */
export type FilterClause =
  | Readonly<{ is: 'test'; at: FilterPlace; name: string; operator: string; operand: Operand }>
  | Readonly<{ is: 'and' | 'or'; all: readonly [FilterClause, ...FilterClause[]] }>
  | Readonly<{ is: 'not'; inner: FilterClause }>

const parameter = 'filter'

/** A `filter` parameter as it is read. */
export interface ParsedFilter {
  /** All of them hold together (AND). */
  readonly clauses: readonly FilterClause[]
  /** How many terms they have. */
  readonly terms: number
}

/**
 * Reads `filter`: a JSON array of filter objects, which hold together (AND).
 * @param terms - how many it may have: what the request's other filters leave
 * @throws ApiError | ManyErrors `invalid_filter` (400) with every fault and its place
 * @see seed §4.1 filter
 */
export function readFilter(text: string, terms: number): ParsedFilter {
  const json = parsed(text)
  if (!Array.isArray(json))
    throw fault('filter', `must be a JSON array of filter objects; it is ${kindOfJson(json)}`)
  const found = countTerms(json)
  if (found > terms) throw tooManyTerms(parameter)
  return { clauses: readAll(json, 'filter', 1), terms: found }
}

/** The error of a request whose filters have too many terms together; reported at the first parameter that exceeds it. */
export function tooManyTerms(parameter: string): ParameterError {
  const detail = `${parameter}: more than ${filterLimits.terms} filter terms in one request; use "in_" with a list of values instead of many "eq", or send several requests.`
  return new ParameterError('invalid_filter', parameter, detail)
}

/**
 * Counts comparisons, those of nested filters included; what has the place of one counts, whatever it is.
 * @param json - nests no deeper than `parseJson` allows
 */
function countTerms(json: unknown): number {
  if (Array.isArray(json))
    return Math.max(
      1,
      json.reduce((sum, each) => sum + countTerms(each), 0),
    )
  if (!isObject(json)) return 1
  const { and, or, not, op, val } = json
  if (op === 'any' || op === 'has') return 1 + (val ? countTerms(val) : 0)
  const group = and ?? or ?? not
  return group === undefined ? 1 : countTerms(group)
}

/** Reads `filter[name]=text`: equality with the text, whatever it holds. */
export function readSimpleFilter(whole: string, name: string, text: string): FilterClause {
  return {
    is: 'test',
    at: { parameter: whole, path: whole },
    name,
    operator: 'eq',
    operand: { is: 'text', text },
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    throw fault(
      'filter',
      error instanceof NestingError ? error.message : `is not JSON: ${jsonComplaint(error)}`,
    )
  }
}

function readAll(list: readonly unknown[], path: string, depth: number): FilterClause[] {
  const errors = emptyCollector()
  const clauses = list.map((json, index) =>
    attempt(() => readClause(json, `${path}[${index}]`, depth), errors),
  )
  refuse(errors)
  return clauses.filter((clause) => clause !== undefined)
}

function readClause(json: unknown, path: string, depth: number): FilterClause {
  if (depth > filterLimits.depth)
    throw fault(path, `is nested more than ${filterLimits.depth} deep`)
  if (!isObject(json)) throw fault(path, `must be a filter object; it is ${kindOfJson(json)}`)
  const members = Object.keys(json)
  const [first] = members
  if (members.length === 1 && (first === 'and' || first === 'or')) {
    return readGroup(first, json[first], `${path}.${first}`, depth)
  }
  if (members.length === 1 && first === 'not') {
    return { is: 'not', inner: readClause(json[first], `${path}.not`, depth + 1) }
  }
  return readTest(json, path, depth)
}

function readGroup(is: 'and' | 'or', json: unknown, path: string, depth: number): FilterClause {
  if (!Array.isArray(json))
    throw fault(path, `must be an array of filter objects; it is ${kindOfJson(json)}`)
  const [first, ...others] = readAll(json, path, depth + 1)
  if (first === undefined) throw fault(path, 'must hold at least one filter object')
  return { is, all: [first, ...others] }
}

function readTest(
  json: Readonly<Record<string, unknown>>,
  path: string,
  depth: number,
): FilterClause {
  const strange = Object.keys(json).find(
    (member) => !['name', 'op', 'val', 'field'].includes(member),
  )
  if (strange !== undefined) {
    const shapes = '{name, op, val}, {name, op, field}, {and: […]}, {or: […]} or {not: {…}}'
    throw fault(path, `has the member ${quoted(strange)}; a filter object is ${shapes}`)
  }
  const [name, operator, operand] = together(
    () => readWord(json.name, `${path}.name`, 'the name of a field'),
    () => readWord(json.op, `${path}.op`, 'the name of an operator'),
    () => readOperand(json, path, depth),
  )
  return { is: 'test', at: { parameter, path }, name, operator, operand }
}

function readWord(json: unknown, path: string, meant: string): string {
  if (typeof json === 'string') return json
  throw fault(path, `must be ${meant}; it is ${kindOfJson(json)}`)
}

function readOperand(
  json: Readonly<Record<string, unknown>>,
  path: string,
  depth: number,
): Operand {
  const { op, val, field } = json
  const hasVal = Object.hasOwn(json, 'val')
  const hasField = Object.hasOwn(json, 'field')
  if (hasVal && hasField)
    throw fault(path, 'has both "val" and "field"; one of them is to be compared with')
  if (op === 'any' || op === 'has') {
    if (hasField)
      throw fault(`${path}.field`, `${quoted(op)} takes a nested filter as "val", no "field"`)
    return { is: 'filter', where: readNested(val, `${path}.val`, depth + 1) }
  }
  if (hasVal) return { is: 'value', value: val }
  if (!hasField)
    throw fault(path, 'needs "val", a value, or "field", the name of a field, to compare with')
  return { is: 'field', name: readWord(field, `${path}.field`, 'the name of a field') }
}

/** Absent or null: any related resource will do. A list holds together (AND). */
function readNested(json: unknown, path: string, depth: number): FilterClause | undefined {
  if (json === undefined || json === null) return undefined
  if (!Array.isArray(json)) return readClause(json, path, depth)
  const [first, ...others] = readAll(json, path, depth)
  return first === undefined ? undefined : { is: 'and', all: [first, ...others] }
}

function fault(path: string, complaint: string): ParameterError {
  return new ParameterError('invalid_filter', parameter, `${path}: ${complaint}.`)
}
