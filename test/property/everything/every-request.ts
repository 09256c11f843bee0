/** Requests with every filter, sort, relationship and field, which random requests may miss. */
import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { type Position, positions } from '../coverage/coverage.ts'
import { type Cell, cellsOf, type Filters, filtersOver, sidesOf } from '../random/random-filter.ts'
import { type DocumentRequest, sortable } from '../random/random-requests.ts'
import type { CollectionRequest } from '../reference/reference.ts'
import type { Clause, Literal } from '../reference/reference-filter.ts'
import { kinds } from '../reference/reference-kinds.ts'
import { type Data, filterable, getAttribute, getType, type Schema } from '../schema.ts'
import { seed } from '../seed.ts'
import { idOf, rowsOf, valueIn } from './rows.ts'

const everythingOnOnePage = { sort: [], page: { number: 1, size: 0 } }

/**
 * Every operator of every field, with each kind of operand and in every position; short filters of every field; and lists of all
 * values of a field.
 */
export function* everyFilter(data: Data): Generator<CollectionRequest> {
  const filters = filtersOver(data)
  for (const type of Object.keys(data.schema.types)) {
    for (const cell of cellsOf(data.schema, type)) yield* byOperator(data.schema, filters, cell)
    yield* byRelationship(data.schema, filters, type)
    for (const name of filterable(data.schema, type)) yield* byAllValues(data, type, name)
    const [from, inbound] = relationshipTo(data.schema, type)
    for (const each of filters.simples(type)) {
      const [name, text] = sampled(each)
      yield { type, filters: [], simple: [[name, text]], ...everythingOnOnePage }
      const simple = [[`${inbound}__${name}`, text]] as const
      yield { type: from, filters: [], simple, ...everythingOnOnePage }
    }
  }
}

function* byOperator(schema: Schema, filters: Filters, cell: Cell): Generator<CollectionRequest> {
  const sides = sidesOf(schema, cell)
  for (let turn = 0; turn < Math.max(sides.length, positions.length); turn += 1) {
    const side = sides[turn % sides.length]
    const position = positions[turn % positions.length]
    assert.ok(side && position)
    const clause = sampled(filters.clause(cell, side), turn)
    yield { ...placed(schema, cell.type, clause, position), simple: [], ...everythingOnOnePage }
  }
}

/** `any` and `has` of every relationship, with one nested filter and with a list of them, and a path over it. */
function* byRelationship(
  schema: Schema,
  filters: Filters,
  type: string,
): Generator<CollectionRequest> {
  for (const [name, { to, many }] of Object.entries(getType(schema, type).relationships)) {
    const inner = sampled(filters.tree(to))
    for (const val of [inner, [inner, inner]])
      yield {
        type,
        filters: [{ name, op: many ? 'any' : 'has', val }],
        simple: [],
        ...everythingOnOnePage,
      }
    const [cell] = cellsOf(schema, to)
    assert.ok(cell)
    const [side] = sidesOf(schema, cell)
    assert.ok(side)
    const clause = sampled(filters.clause(cell, side))
    const path = `${name}__${clause.name}`
    yield { type, filters: [{ ...clause, name: path }], simple: [], ...everythingOnOnePage }
  }
}

/** A list of all values of a field finds all rows but those with null, and its negation none. */
function* byAllValues(data: Data, type: string, name: string): Generator<CollectionRequest> {
  const attribute = getAttribute(data.schema, type, name)
  const { serialize, operators } = kinds[attribute.kind]
  if (operators === 'opaque') return
  const values = rowsOf(data, type)
    .map((row) => valueIn(data, type, row, name))
    .filter((value) => value !== null)
    .map((value) => serialize(value, { kind: attribute.kind }))
  // Only opaque kinds are objects.
  const val = values.filter((value): value is Exclude<Literal, null> => typeof value !== 'object')
  for (const op of ['in_', 'notin_']) {
    yield { type, filters: [{ name, op, val }], simple: [], ...everythingOnOnePage }
  }
}

/** The comparison alone, or inside of another filter. */
function placed(
  schema: Schema,
  type: string,
  clause: Clause,
  position: Position,
): Pick<CollectionRequest, 'type' | 'filters'> {
  if (position === 'plain') return { type, filters: [clause] }
  if (position === 'negated') return { type, filters: [{ not: clause }] }
  const [from, name, op] = relationshipTo(schema, type)
  if (position === 'nested') return { type: from, filters: [{ name, op, val: clause }] }
  return { type: from, filters: [{ ...clause, name: `${name}__${clause.name}` }] }
}

/**
 * Every sort, every relationship included at each of three positions of a path, as linkage and in a path, and every field in a
 * fieldset.
 */
export function* everyDocument(data: Data): Generator<DocumentRequest> {
  const { schema } = data
  const plain = { filters: [], simple: [], ...everythingOnOnePage }
  for (const [type, { attributes, relationships }] of Object.entries(schema.types)) {
    const names = [...Object.keys(attributes), ...Object.keys(relationships)]
    const withCount = Object.keys(relationships).filter((name) => relationships[name]?.isCounted)
    yield {
      request: { ...plain, type },
      selection: { fields: { [type]: names }, include: [], withCount },
    }
    for (const name of sortable(schema, type, 2)) {
      for (const sort of [[name], [`-${name}`]]) {
        const request = { ...plain, type, sort, page: { number: 1, size: 6 } }
        yield { request, selection: { fields: { [type]: [] }, include: [] } }
      }
    }
    for (const name of Object.keys(relationships)) {
      const [second, inbound] = relationshipTo(schema, type)
      const [first, before] = relationshipTo(schema, second)
      for (const [start, path] of [
        [type, name],
        [second, `${inbound}.${name}`],
        [first, `${before}.${inbound}.${name}`],
      ] as const) {
        yield { request: { ...plain, type: start }, selection: { fields: {}, include: [path] } }
      }
    }
    yield* everyRelated(data, type)
  }
}

function* everyRelated(data: Data, type: string): Generator<DocumentRequest> {
  for (const [relationship, { to, many }] of Object.entries(
    getType(data.schema, type).relationships,
  )) {
    if (!many) continue
    for (const row of rowsOf(data, type)) {
      const of = { type, id: idOf(data.schema, type, row), relationship }
      const request = {
        type: to,
        of,
        filters: [],
        simple: [],
        sort: [],
        page: { number: 1, size: 2 },
      }
      yield { request, selection: { fields: {}, include: [] } }
    }
  }
}

/** A relationship that leads to a type, with the type that has it and the operator that follows it. */
function relationshipTo(
  schema: Schema,
  type: string,
): [from: string, name: string, op: 'any' | 'has'] {
  for (const [from, { relationships }] of Object.entries(schema.types)) {
    for (const [name, { to, many }] of Object.entries(relationships)) {
      if (to === type) return [from, name, many ? 'any' : 'has']
    }
  }
  throw new Error(`no relationship leads to ${type}`)
}

function sampled<Value>(arbitrary: fc.Arbitrary<Value>, offset = 0): Value {
  const [value] = fc.sample(arbitrary, { seed: seed + offset, numRuns: 1 })
  assert.ok(value !== undefined)
  return value
}
