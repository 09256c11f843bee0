import { relatedRows, valueIn } from '../everything/rows.ts'
import {
  type Data,
  getAttribute,
  getRelationship,
  isRelationship,
  type Kind,
  type Row,
  type Value,
} from '../schema.ts'
import { kinds } from './reference-kinds.ts'
import {
  compareList,
  compareNumber,
  compareOne,
  isCounting,
  isSingle,
} from './reference-operators.ts'
import { allOf, anyOf, negate, type Truth } from './reference-truth.ts'

/** A value in the JSON of a filter. */
export type Literal = string | number | bigint | boolean | null

/** One comparison: with `val`, or with another `field`; `any` and `has` nest filters in `val`. */
export type Clause = Readonly<{
  name: string
  op: string
  val?: Literal | readonly Literal[] | Filter | readonly Filter[]
  field?: string
}>

/** A filter as a client writes it in JSON (`docs/service.md`, Filter). */
export type Filter =
  | Readonly<{ and: readonly Filter[] }>
  | Readonly<{ or: readonly Filter[] }>
  | Readonly<{ not: Filter }>
  | Clause

/** Whether a row of a type matches a filter. The response has the row only if this is `true`. */
export function evaluate(data: Data, type: string, row: Row, filter: Filter): Truth {
  if ('and' in filter) return allOf(filter.and.map((part) => evaluate(data, type, row, part)))
  if ('or' in filter) return anyOf(filter.or.map((part) => evaluate(data, type, row, part)))
  if ('not' in filter) return negate(evaluate(data, type, row, filter.not))
  const hop = filter.name.indexOf('__')
  if (hop < 0) return evaluateClause(data, type, row, filter)
  const inner = { ...filter, name: filter.name.slice(hop + 2) }
  return hasRelated(data, type, row, filter.name.slice(0, hop), [inner])
}

function evaluateClause(data: Data, type: string, row: Row, clause: Clause): Truth {
  const { name, op, val, field } = clause
  if (isRelationship(data.schema, type, name)) return evaluateRelationship(data, type, row, clause)
  const { kind } = getAttribute(data.schema, type, name)
  const left = valueIn(data, type, row, name)
  if (field !== undefined && isSingle(op))
    return compareOne(op, left, valueIn(data, type, row, field), false)
  if (isList(val)) {
    return compareList(
      op,
      left,
      val.map((each) => readValue(kind, each)),
    )
  }
  if (!isSingle(op)) throw new Error(`the reference cannot compare by ${op} with one value`)
  return compareOne(op, left, readValue(kind, val), true)
}

/** `any` and `has` match if a related row does; `eq` and `is_` with null match if there is none. */
function evaluateRelationship(
  data: Data,
  type: string,
  row: Row,
  { name, op, val }: Clause,
): Truth {
  if (op === 'eq' || op === 'is_') return relatedRows(data, type, row, name).length === 0
  if (op === 'ne' || op === 'isnot') return relatedRows(data, type, row, name).length > 0
  if (isCounting(op)) {
    const number = relatedRows(data, type, row, name).length
    return compareNumber(op, number, Number(val))
  }
  const { many } = getRelationship(data.schema, type, name)
  if (op !== (many ? 'any' : 'has')) throw new Error(`${op} does not fit ${type}.${name}`)
  if (val === undefined || val === null) return hasRelated(data, type, row, name, [])
  const filters = isList(val) ? val.map(asFilter) : [asFilter(val)]
  return hasRelated(data, type, row, name, filters)
}

/** Whether a related row matches all filters. Never unknown, like `exists` of SQL. */
function hasRelated(
  data: Data,
  type: string,
  row: Row,
  name: string,
  filters: readonly Filter[],
): boolean {
  const { to } = getRelationship(data.schema, type, name)
  return relatedRows(data, type, row, name).some((related) =>
    filters.every((filter) => evaluate(data, to, related, filter) === true),
  )
}

/** Reads a value as the kind of its field. */
function readValue(kind: Kind, literal: unknown): Value {
  if (literal === null) return null
  if (typeof literal !== 'object' && typeof literal !== 'undefined' && isLiteral(literal))
    return kinds[kind].read(literal)
  throw new Error(`the reference cannot read ${JSON.stringify(literal)} as ${kind}`)
}

function isLiteral(value: unknown): value is Exclude<Literal, null> {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value)
}

function asFilter(value: Literal | Filter): Filter {
  if (value !== null && typeof value === 'object') return value
  throw new Error(`the reference expected a nested filter, not ${value}`)
}

function isList<T>(value: T): value is Extract<T, readonly unknown[]> {
  return Array.isArray(value)
}
