/**
 * An interpreter of collection requests over plain objects, with which a service is compared. It follows `docs/service.md`,
 * Query parameters, and is written for readability instead of speed: it evaluates the filter for every row.
 */

import { relatedRows, rowsOf, rowWithId, valueIn } from '../everything/rows.ts'
import { type Data, getRelationship, known, type Row, type Value } from '../schema.ts'
import { evaluate, type Filter } from './reference-filter.ts'
import { compareValues } from './reference-kinds.ts'

/** The resource in the path of a related collection, with its id in documents. */
export interface Parent {
  readonly type: string
  readonly id: string
  readonly relationship: string
}

/** The request for a collection, with its parts as the client writes them. Page numbers count from 1. */
export interface CollectionRequest {
  readonly type: string
  /** Absent for the whole collection. */
  readonly of?: Parent
  /** The objects of `filter=[…]`, all of which must match. */
  readonly filters: readonly Filter[]
  /** The `filter[field]=value` parameters, all of which must match too. */
  readonly simple: readonly (readonly [field: string, value: string])[]
  /** Terms such as `-name`; empty for the order by id. */
  readonly sort: readonly string[]
  /** `size` 0 is one page with all resources. */
  readonly page: Readonly<{ number: number; size: number }>
}

/** The rows of one page, and how many rows match over all pages. */
interface CollectionAnswer {
  readonly rows: readonly Row[]
  readonly count: number
}

/** Evaluates a collection request over plain rows. */
export function evaluateRequest(data: Data, request: CollectionRequest): CollectionAnswer {
  const { type, page } = request
  const filters = [
    ...request.filters,
    ...request.simple.map(([name, val]) => ({ name, op: 'eq', val })),
  ]
  const matching = start(data, request).filter((row) =>
    filters.every((filter) => evaluate(data, type, row, filter) === true),
  )
  const rows = sorted(data, type, matching, request.sort)
  const from = (page.number - 1) * page.size
  return {
    rows: page.size === 0 ? rows : rows.slice(from, from + page.size),
    count: rows.length,
  }
}

/** All rows of the path. */
export function start(data: Data, { type, of }: CollectionRequest): readonly Row[] {
  if (of === undefined) return rowsOf(data, type)
  const parent = known(rowWithId(data, of.type, of.id), `${of.type} ${of.id}`)
  return relatedRows(data, of.type, parent, of.relationship)
}

/** The rows in the order of the terms, then by id; null counts as the largest value. */
function sorted(data: Data, type: string, rows: readonly Row[], sort: readonly string[]): Row[] {
  return rows.toSorted((left, right) => {
    for (const term of [...sort, 'id']) {
      const name = term.replace(/^-/, '')
      const order = compareNullable(reach(data, type, left, name), reach(data, type, right, name))
      if (order !== 0) return name === term ? order : -order
    }
    return 0
  })
}

/** The value of a row under a name with dots; null without a related row. */
function reach(data: Data, type: string, row: Row, name: string): Value {
  const dot = name.indexOf('.')
  if (dot < 0) return valueIn(data, type, row, name)
  const relationship = name.slice(0, dot)
  if (getRelationship(data.schema, type, relationship).many)
    return BigInt(relatedRows(data, type, row, relationship).length)
  const [related] = relatedRows(data, type, row, relationship)
  if (related === undefined) return null
  return reach(
    data,
    getRelationship(data.schema, type, relationship).to,
    related,
    name.slice(dot + 1),
  )
}

function compareNullable(left: Value, right: Value): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null)
  return compareValues(left, right)
}
