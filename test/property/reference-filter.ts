import { compareList, compareOne, isSingle } from './reference-operators.ts'
import { allOf, anyOf, negate, type Truth } from './reference-truth.ts'
import {
  kindOf,
  type Row,
  relatedRows,
  relationships,
  storedValue,
  type Tables,
  type TypeName,
  type Value,
} from './rows.ts'

/** A value as it stands in a filter's JSON. */
export type Literal = string | number | null

/** One comparison: with `val`, or with another `field`; `any` and `has` nest filters in `val`. */
export type Clause = Readonly<{
  name: string
  op: string
  val?: Literal | readonly Literal[] | Filter | readonly Filter[]
  field?: string
}>

/** A filter as a client writes it in JSON: the seed's grammar, §4.1. */
export type Filter =
  | Readonly<{ and: readonly Filter[] }>
  | Readonly<{ or: readonly Filter[] }>
  | Readonly<{ not: Filter }>
  | Clause

/** Whether one row matches a filter; only `true` brings it into the answer. */
export function evaluate(tables: Tables, type: TypeName, row: Row, filter: Filter): Truth {
  if ('and' in filter) return allOf(filter.and.map((part) => evaluate(tables, type, row, part)))
  if ('or' in filter) return anyOf(filter.or.map((part) => evaluate(tables, type, row, part)))
  if ('not' in filter) return negate(evaluate(tables, type, row, filter.not))
  const hop = filter.name.indexOf('__')
  if (hop < 0) return evaluateClause(tables, type, row, filter)
  const follow = filter.name.slice(0, hop)
  if (follow !== relationships[type].name) throw new Error(`${type} has no ${follow} to follow`)
  return hasRelated(tables, type, row, [{ ...filter, name: filter.name.slice(hop + 2) }])
}

function evaluateClause(tables: Tables, type: TypeName, row: Row, clause: Clause): Truth {
  const { name, op, val, field } = clause
  const kind = kindOf(type, name)
  if (kind === 'relationship') return evaluateRelationship(tables, type, row, clause)
  const left = storedValue(row, name)
  if (field !== undefined && isSingle(op))
    return compareOne(op, left, storedValue(row, field), false)
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

/** `any` and `has` ask for a related row that matches; `eq` and `is_` with null ask for none at all. */
function evaluateRelationship(
  tables: Tables,
  type: TypeName,
  row: Row,
  { op, val }: Clause,
): Truth {
  if (op === 'eq' || op === 'is_') return relatedRows(tables, row).length === 0
  if (op === 'ne' || op === 'isnot') return relatedRows(tables, row).length > 0
  if (op !== relationships[type].follow) throw new Error(`${op} does not fit ${type}`)
  if (val === undefined || val === null) return hasRelated(tables, type, row, [])
  const filters = isList(val) ? val.map(asFilter) : [asFilter(val)]
  return hasRelated(tables, type, row, filters)
}

/** Whether one related row matches all filters: never unknown, as SQL's `exists`. */
function hasRelated(tables: Tables, type: TypeName, row: Row, filters: readonly Filter[]): boolean {
  const there = relationships[type].type
  return relatedRows(tables, row).some((related) =>
    filters.every((filter) => evaluate(tables, there, related, filter) === true),
  )
}

/** Reads a value as its field's kind: ids may be written as strings or numbers. */
function readValue(kind: string, literal: unknown): Value {
  if (literal === null) return null
  if (kind === 'id') return BigInt(String(literal))
  if (typeof literal === 'string') return literal
  throw new Error(`the reference cannot read ${JSON.stringify(literal)} as ${kind}`)
}

function asFilter(value: Literal | Filter): Filter {
  if (value !== null && typeof value === 'object') return value
  throw new Error(`the reference expected a nested filter, not ${value}`)
}

function isList<T>(value: T): value is Extract<T, readonly unknown[]> {
  return Array.isArray(value)
}
