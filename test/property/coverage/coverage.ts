import assert from 'node:assert/strict'
import { shapeOf } from '../everything/shapes.ts'
import { cellsOf, type Side, sidesOf } from '../random/random-filter.ts'
import type { CollectionRequest } from '../reference/reference.ts'
import type { Clause, Filter } from '../reference/reference-filter.ts'
import { kinds } from '../reference/reference-kinds.ts'
import {
  filterable,
  getAttribute,
  getRelationship,
  isRelationship,
  type Schema,
} from '../schema.ts'

/** The position of a comparison in a filter: the innermost operator around it. */
export type Position = 'plain' | 'negated' | 'nested' | 'shortcut'

/** Every position. */
export const positions: readonly Position[] = ['plain', 'negated', 'nested', 'shortcut']

/** Counts the operators, kinds and positions of random filters, so that a test can assert that it has covered them. */
export class Coverage {
  readonly #schema: Schema
  readonly #seen = new Set<string>()
  #trees = 0
  #requests = 0
  #partial = 0

  constructor(schema: Schema) {
    this.#schema = schema
  }

  /** Counts a request, with the share of the rows that it found. */
  add(request: CollectionRequest, found: number, rows: number): void {
    this.#trees += request.filters.length
    this.#requests += 1
    if (found > 0 && found < rows) this.#partial += 1
    for (const filter of request.filters) this.#walk(request.type, filter, 'plain')
    for (const [name] of request.simple) {
      const [type, field] = this.#leaf(request.type, name)
      const label = labelOf(this.#schema, type, field)
      this.#seen.add(`simple ${label} ${field === name ? 'plain' : 'shortcut'}`)
    }
  }

  /**
   * Asserts that there were enough filters, that enough responses had some rows but not all, that each operator was applied to
   * each of its kinds in every position and with every operand, and that each shape of relationship was followed by every
   * operator.
   */
  assertEnough(trees: number, partialShare: number): void {
    assert.ok(this.#trees >= trees, `only ${this.#trees} trees, fewer than ${trees}`)
    const share = this.#partial / this.#requests
    assert.ok(share >= partialShare, `only ${share} of the answers held some rows but not all`)
    assert.deepEqual(new Set(expected(this.#schema)).difference(this.#seen), new Set())
  }

  #walk(type: string, filter: Filter, position: Position): void {
    if ('and' in filter) for (const part of filter.and) this.#walk(type, part, position)
    else if ('or' in filter) for (const part of filter.or) this.#walk(type, part, position)
    else if ('not' in filter) this.#walk(type, filter.not, 'negated')
    else this.#clause(type, filter, position)
  }

  #clause(root: string, clause: Clause, position: Position): void {
    const [type, name] = this.#leaf(root, clause.name)
    const label = labelOf(this.#schema, type, name)
    const where = name === clause.name ? position : 'shortcut'
    this.#seen.add(`${label} ${clause.op} ${where}`)
    this.#seen.add(`${label} ${clause.op} ${against(clause)}`)
    if (clause.op !== 'any' && clause.op !== 'has') return
    const { to } = getRelationship(this.#schema, type, name)
    for (const inner of [clause.val ?? []].flat()) {
      if (inner !== null && typeof inner === 'object') this.#walk(to, inner, 'nested')
    }
  }

  /** The type and the field at the end of a name with `__` between its parts. */
  #leaf(type: string, name: string): [type: string, name: string] {
    const hop = name.indexOf('__')
    if (hop < 0) return [type, name]
    const relationship = name.slice(0, hop)
    this.#seen.add(`${shapeOf(this.#schema, type, relationship)} __`)
    return this.#leaf(getRelationship(this.#schema, type, relationship).to, name.slice(hop + 2))
  }
}

/** The operand of a comparison. */
function against({ val, field }: Clause): Side | 'nested filter' {
  if (field !== undefined) return 'field'
  if (Array.isArray(val)) return val.length === 0 ? 'empty list' : 'list'
  if (typeof val === 'object' && val !== null) return 'nested filter'
  return val === null || val === undefined ? 'null' : 'value'
}

/** The properties of a field that matter to the databases: its kind and how it is stored, or the shape of the relationship. */
function labelOf(schema: Schema, type: string, name: string): string {
  if (isRelationship(schema, type, name)) return shapeOf(schema, type, name)
  const { kind, of, scale } = getAttribute(schema, type, name)
  const words = [name === 'id' ? 'id of' : '', kind, scale ? 'scaled' : '', of ? 'computed' : '']
  return words.filter((word) => word !== '').join(' ')
}

function expected(schema: Schema): string[] {
  return Object.keys(schema.types).flatMap((type) => [
    ...cellsOf(schema, type).flatMap((cell) => {
      const label = labelOf(schema, type, cell.name)
      const isFollowed = cell.operator === 'any' || cell.operator === 'has'
      return [
        ...positions,
        ...sidesOf(schema, cell),
        ...(isFollowed ? ['nested filter', 'list'] : []),
      ].map((each) => `${label} ${cell.operator} ${each}`)
    }),
    ...filterable(schema, type)
      .filter((name) => kinds[getAttribute(schema, type, name).kind].operators !== 'opaque')
      .flatMap((name) => {
        const label = labelOf(schema, type, name)
        return [`simple ${label} plain`, `simple ${label} shortcut`]
      }),
    ...Object.keys(schema.types[type]?.relationships ?? {}).map(
      (name) => `${shapeOf(schema, type, name)} __`,
    ),
  ])
}
