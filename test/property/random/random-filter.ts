import * as fc from 'fast-check'
import type { Clause, Filter, Literal } from '../reference/reference-filter.ts'
import { compareValues, kinds } from '../reference/reference-kinds.ts'
import {
  isCounting,
  isSingle,
  type OperatorName,
  operatorsOf,
  relationshipOperators,
} from '../reference/reference-operators.ts'
import { words } from '../reference/reference-text.ts'
import {
  type AttributeDescription,
  type Data,
  filterable,
  getAttribute,
  getType,
  isRelationship,
  type Schema,
} from '../schema.ts'
import { type Values, valuesOver } from './random-values.ts'

/** A `filter[field]=value` parameter. */
type Simple = readonly [field: string, value: string]

/** The kind of operand of a comparison. */
export type Side = 'value' | 'null' | 'field' | 'list' | 'empty list'

/** An operator of a field of a type. */
export interface Cell {
  readonly type: string
  readonly name: string
  readonly operator: OperatorName
}

/** Random filters over given rows. */
export interface Filters {
  /** A filter of comparisons, paths, `and`, `or`, `not` and nested filters. */
  tree(type: string): fc.Arbitrary<Filter>
  /** A comparison of a field of the type by an operator, with an operand of this kind. */
  clause(cell: Cell, side: Side): fc.Arbitrary<Clause>
  simple(type: string): fc.Arbitrary<Simple>
  /** A short filter for each field of the type that has them. */
  simples(type: string): readonly fc.Arbitrary<Simple>[]
}

/** The maximum number of levels of `and`, `or`, `not`, `any` and `has`. */
const deepest = 4

/** The maximum number of relationships in a path. */
const furthest = 3

/** Filters whose values come mostly from these rows. */
export function filtersOver(data: Data): Filters {
  const maker = new Maker(data)
  return {
    tree: (type) => maker.tree(type, deepest),
    clause: (cell, side) => maker.clause(cell, side),
    simple: (type) => maker.simple(type, furthest),
    simples: (type) => maker.simples(type),
  }
}

/** Creates each arbitrary once, and uses it in all others. */
class Maker {
  readonly #schema: Schema
  readonly #values: Values
  readonly #trees = new Map<string, fc.Arbitrary<Filter>>()
  readonly #comparisons = new Map<string, fc.Arbitrary<Clause>>()
  readonly #simples = new Map<string, fc.Arbitrary<Simple>>()

  constructor(data: Data) {
    this.#schema = data.schema
    this.#values = valuesOver(data)
  }

  tree(type: string, depth: number): fc.Arbitrary<Filter> {
    return memoized(this.#trees, `${type} ${depth}`, () => this.#anyTree(type, depth))
  }

  #anyTree(type: string, depth: number): fc.Arbitrary<Filter> {
    const shallow = fc.oneof(
      { weight: 3, arbitrary: this.#comparison(type) },
      { weight: 2, arbitrary: this.#shortcut(type, furthest) },
    )
    if (depth === 0) return shallow
    const inner = this.tree(type, depth - 1)
    const some = fc.array(inner, { minLength: 1, maxLength: 3 })
    return fc.oneof(
      { weight: 5, arbitrary: shallow },
      { weight: 2, arbitrary: some.map((and) => ({ and })) },
      { weight: 2, arbitrary: some.map((or) => ({ or })) },
      { weight: 2, arbitrary: inner.map((not) => ({ not })) },
      { weight: 2, arbitrary: this.#follow(type, depth) },
    )
  }

  /** A comparison of a field of the type. Each operator of each field has the same probability. */
  #comparison(type: string): fc.Arbitrary<Clause> {
    return memoized(this.#comparisons, type, () =>
      fc.oneof(
        ...cellsOf(this.#schema, type).map((cell) => {
          const sides = sidesOf(this.#schema, cell).map((side) => ({
            weight: side === 'value' || side === 'list' ? 6 : 1,
            arbitrary: this.clause(cell, side),
          }))
          return fc.oneof(...sides)
        }),
      ),
    )
  }

  clause({ type, name, operator: op }: Cell, side: Side): fc.Arbitrary<Clause> {
    if (isCounting(op)) return fc.integer({ min: -1, max: 4 }).map((val) => ({ name, op, val }))
    if (isRelationship(this.#schema, type, name)) return anyRelated(name, op)
    if (side === 'field')
      return fc.constantFrom(...comparable(this.#schema, type, name)).map((field) => {
        return { name, op, field }
      })
    if (side === 'null') return fc.constant({ name, op, val: null })
    if (side === 'empty list') return fc.constant({ name, op, val: [] })
    const attribute = getAttribute(this.#schema, type, name)
    const one = this.#values.one(attribute, op).filter((val) => isServed(op, val))
    if (side === 'value') return one.map((val) => ({ name, op, val }))
    const orNull = fc.option(one, { freq: 8 })
    if (op === 'between') {
      return fc.tuple(orNull, orNull).map((pair) => ({ name, op, val: ordered(attribute, pair) }))
    }
    return fc.array(orNull, { minLength: 1, maxLength: 5 }).map((val) => ({ name, op, val }))
  }

  /** `any` or `has` with one nested filter, or with a list of them. */
  #follow(type: string, depth: number): fc.Arbitrary<Filter> {
    const branches = Object.entries(getType(this.#schema, type).relationships).map(
      ([name, { to, many }]) => {
        const op = many ? 'any' : 'has'
        const inner = this.tree(to, depth - 1)
        const list = fc.array(inner, { minLength: 1, maxLength: 2 })
        return fc.oneof(
          { weight: 4, arbitrary: inner.map((val) => ({ name, op, val })) },
          { weight: 1, arbitrary: list.map((val) => ({ name, op, val })) },
        )
      },
    )
    return fc.oneof(...branches)
  }

  /** A comparison of a field over one to `hops` relationships, written `relationship__field`. */
  #shortcut(type: string, hops: number): fc.Arbitrary<Clause> {
    return memoized(this.#comparisons, `${type} ${hops}`, () => {
      const branches = Object.entries(getType(this.#schema, type).relationships).map(
        ([relationship, { to }]) => {
          const near = this.#comparison(to)
          const away =
            hops === 1
              ? near
              : fc.oneof(
                  { weight: 3, arbitrary: near },
                  { weight: 1, arbitrary: this.#shortcut(to, hops - 1) },
                )
          return away.map((clause) => ({ ...clause, name: `${relationship}__${clause.name}` }))
        },
      )
      return fc.oneof(...branches)
    })
  }

  simples(type: string): fc.Arbitrary<Simple>[] {
    return filterable(this.#schema, type)
      .map((name) => [name, getAttribute(this.#schema, type, name)] as const)
      .filter(([, { kind }]) => kinds[kind].operators !== 'opaque')
      .map(([name, attribute]) => this.#values.text(attribute).map((text): Simple => [name, text]))
  }

  simple(type: string, hops: number): fc.Arbitrary<Simple> {
    return memoized(this.#simples, `${type} ${hops}`, () => this.#anySimple(type, hops))
  }

  #anySimple(type: string, hops: number): fc.Arbitrary<Simple> {
    const here = fc.oneof(...this.simples(type))
    if (hops === 0) return here
    const branches = Object.entries(getType(this.#schema, type).relationships).map(
      ([relationship, { to }]) =>
        this.simple(to, hops - 1).map(
          ([field, text]): Simple => [`${relationship}__${field}`, text],
        ),
    )
    return fc.oneof({ weight: 3, arbitrary: here }, { weight: 1, arbitrary: fc.oneof(...branches) })
  }
}

/** Every operator of every field of a type; of `any` and `has`, the one that follows its relationship. */
export function cellsOf(schema: Schema, type: string): Cell[] {
  const relationships = Object.entries(getType(schema, type).relationships)
  return [
    ...filterable(schema, type).flatMap((name) => {
      const { operators } = kinds[getAttribute(schema, type, name).kind]
      return operatorsOf[operators].map((operator) => ({ type, name, operator }))
    }),
    ...relationships.flatMap(([name, relationship]) =>
      relationshipOperators(relationship).map((operator) => ({ type, name, operator })),
    ),
  ]
}

/** The kinds of operands of an operator of a field. */
export function sidesOf(schema: Schema, { type, name, operator }: Cell): Side[] {
  if (isCounting(operator)) return ['value']
  if (isRelationship(schema, type, name)) return ['null']
  if (kinds[getAttribute(schema, type, name).kind].operators === 'opaque') return ['null']
  if (isSingle(operator)) return ['value', 'null', 'field']
  return operator === 'between' ? ['list'] : ['list', 'empty list']
}

/** The fields that a field can be compared with: attributes of a comparable kind. */
function comparable(schema: Schema, type: string, name: string): string[] {
  const groupOf = (field: string) => kinds[getAttribute(schema, type, field).kind].group
  return filterable(schema, type).filter((other) => groupOf(other) === groupOf(name))
}

/** A relationship without a nested filter: whether there is a related resource. */
function anyRelated(name: string, op: OperatorName): fc.Arbitrary<Clause> {
  if (op !== 'any' && op !== 'has') return fc.constant({ name, op, val: null })
  return fc.constantFrom<Clause>({ name, op }, { name, op, val: null })
}

/** Bounds of `between`, mostly in ascending order, so that they contain values. */
function ordered({ kind }: AttributeDescription, [one, other]: [Literal, Literal]): Literal[] {
  if (one === null || other === null) return [one, other]
  const { read } = kinds[kind]
  return compareValues(read(one), read(other)) <= 0 ? [one, other] : [other, one]
}

function memoized<Made>(known: Map<string, Made>, key: string, make: () => Made): Made {
  const made = known.get(key) ?? make()
  known.set(key, made)
  return made
}

/** The operators that search in texts for a part. */
const searching: readonly string[] = [
  ...['like', 'notlike', 'ilike', 'notilike', 'startswith', 'endswith', 'match'],
]

/** Whether a searched text is within the limits of docs/limits.md. */
function isServed(op: string, val: unknown): boolean {
  if (typeof val !== 'string' || !searching.includes(op)) return true
  if (val.length > 1000 || val.split('%').length > 30) return false
  return op !== 'match' || words(val).length <= 30
}
