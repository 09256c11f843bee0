import type { CollectionRequest } from '../reference/reference.ts'
import type { Clause, Filter } from '../reference/reference-filter.ts'
import { isCounting } from '../reference/reference-operators.ts'
import { getAttribute, getRelationship, isRelationship, type Schema } from '../schema.ts'
import { pairsOf } from './collection-request.ts'
import { jsonOf } from './exact-json.ts'

type Pair = readonly [name: string, value: string]

/** The kinds whose values never contain a comma. */
const commaFree: readonly string[] = [
  ...['id', 'integer', 'integer64', 'decimal', 'number', 'boolean', 'date', 'datetime', 'time'],
  'uuid',
]

/**
 * The pairs of a request that people could type: each filter that has a form `filter[name][operator]=text` in that form, and all
 * others as JSON. `undefined` if no filter has one.
 */
export function typedQueryOf(schema: Schema, request: CollectionRequest): string | undefined {
  const json: Filter[] = []
  const typed: Pair[] = []
  const add = (filter: Filter): void => {
    if ('and' in filter) filter.and.forEach(add)
    else {
      const pairs = 'name' in filter ? toPairs(schema, request.type, filter) : []
      if (pairs.length === 0) json.push(filter)
      typed.push(...pairs)
    }
  }
  request.filters.forEach(add)
  if (typed.length === 0) return undefined
  const others = pairsOf({ ...request, filters: json }, { fields: { [request.type]: [] } })
  // The values of one list may be anywhere in the query.
  return [...typed.slice(0, 1), ...others, ...typed.slice(1)]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&')
}

/** The parameters that equal a filter; none if it has no such form. */
function toPairs(schema: Schema, type: string, { name, op, val, field }: Clause): Pair[] {
  if (field !== undefined || val === undefined) return []
  const parameter = `filter[${name.replace('__', '.')}]`
  if (val === null) return /^(?:is_|isnot)$/.test(op) ? [[`${parameter}[${op}]`, 'null']] : []
  if (Array.isArray(val)) return toListPairs(schema, type, { name, op, val }, parameter)
  if (typeof val === 'object') return []
  const text = typeof val === 'string' ? val : jsonOf(val)
  const isNull = text === 'null' && /^(?:is_|isnot)$/.test(op)
  if (isNull) return []
  if (op === 'eq' && text.length % 2 === 0) return [[parameter, text]]
  return [[`${parameter}[${op}]`, text]]
}

function toListPairs(
  schema: Schema,
  type: string,
  { name, op, val }: Readonly<{ name: string; op: string; val: readonly unknown[] }>,
  parameter: string,
): Pair[] {
  const texts = val.map((each) => (typeof each === 'string' ? each : jsonOf(each)))
  const isList = op === 'in_' || op === 'notin_' || op === 'between'
  if (!isList || texts.length === 0 || val.includes(null)) return []
  const [last, ...path] = name.split('__').reverse()
  const owner = path.reverse().reduce((from, each) => getRelationship(schema, from, each).to, type)
  if (last === undefined || isCounting(op) || isRelationship(schema, owner, last)) return []
  const { kind } = getAttribute(schema, owner, last)
  if (commaFree.includes(kind) && texts.length % 2 === 0) {
    // Without an operator, the comma of a fraction may be its decimal sign.
    const hasFraction = kind === 'decimal' || kind === 'number'
    const isShort = op === 'in_' && texts.length > 1 && !hasFraction
    return [[isShort ? parameter : `${parameter}[${op}]`, texts.join(',')]]
  }
  const brackets = op === 'in_' ? '' : `[${op}]`
  return texts.map((text): Pair => [`${parameter}${brackets}[]`, text])
}
