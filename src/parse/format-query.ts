import { isObject, serializeJson, toJsonValue } from '../model/kinds/json.ts'
import { encodeQuery, type Pair } from './encode-query.ts'

/** The parameters of a read or a write, as clients in process and over HTTP pass them. */
export type QueryInput = Readonly<Record<string, unknown>>

/**
 * Formats the parameters of a call as a query string, without the `?`. So one parser, one planner and one plan cache serve
 * calls in process and requests.
 *
 * @returns names and values in the order of the members; a parameter that is `undefined` is left out
 * @throws TypeError for a value that JSON does not have
 */
export function formatQuery(query: QueryInput | undefined): string {
  if (query === undefined) return ''
  const pairs = Object.entries(query).flatMap(([name, value]) => formatParameter(name, value))
  return encodeQuery(pairs).slice(1)
}

/** A parameter that does not exist is formatted as well: parsing rejects it with its name. */
function formatParameter(name: string, value: unknown): readonly Pair[] {
  if (name === 'filter') return formatFilter(value)
  if (name === 'includePage' || name === 'includeFilter') return formatPaths(name, value)
  // An empty list is not an order; as a parameter it would be a syntax error.
  if (name === 'sort' && Array.isArray(value) && value.length === 0) return []
  return isObject(value) ? formatMembers(name, value) : formatList(name, value)
}

/** Formats what a query says about the members of include paths: `includePage[path][size]`, or filters by path. */
function formatPaths(name: 'includePage' | 'includeFilter', value: unknown): readonly Pair[] {
  if (!isObject(value)) return formatPair(name, value)
  return Object.entries(value).flatMap(([path, each]) => {
    const parameter = `${name}[${path}]`
    if (!isObject(each)) return formatPair(parameter, each)
    return name === 'includePage'
      ? formatMembers(parameter, each)
      : formatPair(parameter, listFilterObjects(each))
  })
}

/** A filter object of a request (`docs/service.md`, Filter), or conditions by name. */
type FilterObject = Readonly<Record<string, unknown>>

/** Values that fields must equal are parameters of their own, which is shorter; other conditions become a list of filter objects. */
function formatFilter(filter: unknown): readonly Pair[] {
  if (!isObject(filter)) return formatPair('filter', filter)
  const members = Object.entries(filter).filter(([, value]) => value !== undefined)
  if (members.length === 0) return []
  if (members.some(([, value]) => typeof value === 'object'))
    return formatPair('filter', listFilterObjects(filter))
  return members.flatMap(([name, value]) => formatPair(`filter[${name}]`, value))
}

/** Lists the filter objects of conditions by name (`src/model/kinds/filter-conditions.ts`). One that is `undefined` is left out. */
function listFilterObjects(conditions: FilterObject): readonly FilterObject[] {
  return Object.entries(conditions).flatMap(([name, condition]) => {
    if (condition === undefined) return []
    if ((name === 'and' || name === 'or') && Array.isArray(condition))
      return [{ [name]: condition.map(joinConditions) }]
    if (name === 'not') return [{ not: joinConditions(condition) }]
    if (!isObject(condition)) return [{ name, op: 'eq', val: condition }]
    return Object.entries(condition).flatMap(([op, operand]) =>
      operand === undefined ? [] : [createTerm(name, op, operand)],
    )
  })
}

function createTerm(name: string, op: string, operand: unknown): FilterObject {
  if (!isObject(operand)) return { name, op, val: operand }
  if (op === 'any' || op === 'has') return { name, op, val: listFilterObjects(operand) }
  const { field, ...others } = operand
  const isField = typeof field === 'string' && Object.keys(others).length === 0
  return isField ? { name, op, field } : { name, op, val: operand }
}

/** Joins conditions to one filter object. */
function joinConditions(conditions: unknown): unknown {
  if (!isObject(conditions)) return conditions
  const [first, ...others] = listFilterObjects(conditions)
  return first !== undefined && others.length === 0 ? first : { and: [first, ...others] }
}

function formatList(name: string, value: unknown): readonly Pair[] {
  return formatPair(name, Array.isArray(value) ? value.join(',') : value)
}

/** Formats the members of an object as `name[member]`. */
function formatMembers(name: string, value: Readonly<Record<string, unknown>>): readonly Pair[] {
  return Object.entries(value).flatMap(([member, each]) => formatList(`${name}[${member}]`, each))
}

function formatPair(name: string, value: unknown): readonly Pair[] {
  if (value === undefined) return []
  return [[name, typeof value === 'string' ? value : serializeJson(toJsonValue(value, name))]]
}
