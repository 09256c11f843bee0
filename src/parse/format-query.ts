import { isObject, type JsonValue, serializeJson } from '../model/json.ts'
import { encodeQuery } from '../parse/query.ts'

/** The parameters of a read or a write, as a client in process passes them. */
export type QueryInput = Readonly<Record<string, unknown>>

type Pair = readonly [name: string, value: string]

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
  // An empty list is no order; as a parameter it would be a syntax error.
  if (name === 'sort' && Array.isArray(value) && value.length === 0) return []
  return isObject(value) ? formatMembers(name, value) : formatList(name, value)
}

function formatFilter(filter: unknown): readonly Pair[] {
  if (!isObject(filter)) return formatPair('filter', filter)
  return Object.entries(filter).flatMap(([member, value]) => {
    const name = `filter[${member}]`
    if (typeof value === 'object')
      throw new TypeError(
        `${name} must be a text, a number or a boolean; use a list of filter objects.`,
      )
    return formatPair(name, value)
  })
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
  return [[name, typeof value === 'string' ? value : serializeJson(toJson(value, name))]]
}

/** Copies a value as JSON, without members that are `undefined`. */
function toJson(value: unknown, name: string): JsonValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return value
    case 'number':
      if (Number.isFinite(value)) return value
      break
    case 'object': {
      if (value === null) return null
      if (Array.isArray(value)) return value.map((element) => toJson(element, name))
      const members = Object.entries(value).filter(([, member]) => member !== undefined)
      return Object.fromEntries(members.map(([key, member]) => [key, toJson(member, name)]))
    }
  }
  throw new TypeError(`${name}: ${String(value)} is not a JSON value.`)
}
