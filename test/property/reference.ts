/**
 * A small interpreter of collection requests over plain objects, to hold the service against.
 *
 * Written from SERVICE §5 to be read in one sitting, not to be fast: every row is asked every question.
 */
import { evaluate, type Filter } from './reference-filter.ts'
import { compareValues } from './reference-operators.ts'
import {
  type Row,
  relatedRows,
  relationships,
  rowsOf,
  storedValue,
  type Tables,
  type TypeName,
  type Value,
} from './rows.ts'

/** What is asked of a collection: all parts are as the client writes them, page numbers count from 1. */
export interface CollectionRequest {
  readonly type: TypeName
  /** The person whose computers are asked for; absent for the whole collection. */
  readonly of?: bigint
  /** The objects of `filter=[…]`, all of which must match. */
  readonly filters: readonly Filter[]
  /** The `filter[field]=value` parameters, all of which must match too. */
  readonly simple: readonly (readonly [field: string, value: string])[]
  /** Terms such as `-name`; empty for the order by id. */
  readonly sort: readonly string[]
  /** `size` 0 is everything on one page. */
  readonly page: Readonly<{ number: number; size: number }>
}

/** The rows of one page, and how many rows match over all pages. */
export interface CollectionAnswer {
  readonly rows: readonly Row[]
  readonly count: number
}

/** Answers a collection request from plain rows. */
export function answer(tables: Tables, request: CollectionRequest): CollectionAnswer {
  const { type, of, page } = request
  const filters = [
    ...request.filters,
    ...request.simple.map(([name, val]) => ({ name, op: 'eq', val })),
  ]
  const matching = rowsOf(tables, type)
    .filter((row) => of === undefined || ('person_id' in row && row.person_id === of))
    .filter((row) => filters.every((filter) => evaluate(tables, type, row, filter) === true))
  const rows = sorted(tables, type, matching, request.sort)
  const from = (page.number - 1) * page.size
  return {
    rows: page.size === 0 ? rows : rows.slice(from, from + page.size),
    count: rows.length,
  }
}

/** The rows in the order of the terms, then by id; null counts as the largest value. */
function sorted(
  tables: Tables,
  type: TypeName,
  rows: readonly Row[],
  sort: readonly string[],
): Row[] {
  return rows.toSorted((left, right) => {
    for (const term of [...sort, 'id']) {
      const name = term.replace(/^-/, '')
      const order = compareNullable(
        reach(tables, type, left, name),
        reach(tables, type, right, name),
      )
      if (order !== 0) return name === term ? order : -order
    }
    return 0
  })
}

/** What a row holds under a dotted name; null where nothing is linked. */
function reach(tables: Tables, type: TypeName, row: Row, name: string): Value {
  const dot = name.indexOf('.')
  if (dot < 0) return storedValue(row, name)
  const [related] = relatedRows(tables, row)
  if (related === undefined) return null
  return reach(tables, relationships[type].type, related, name.slice(dot + 1))
}

function compareNullable(left: Value, right: Value): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null)
  return compareValues(left, right)
}
