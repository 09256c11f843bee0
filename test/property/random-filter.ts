import * as fc from 'fast-check'
import { type Values, valuesOver } from './random-values.ts'
import type { Clause, Filter, Literal } from './reference-filter.ts'
import { isSingle, type OperatorName, operatorsOf } from './reference-operators.ts'
import type { Tables } from './rows.ts'
import { filterable, type Kind, relationships, type TypeName } from './rows.ts'

/** A `filter[field]=value` parameter. */
export type Simple = readonly [field: string, value: string]

/** Random filters over given rows. */
export interface Filters {
  /** A tree: comparisons, shortcuts, `and`, `or`, `not` and nested filters of any shape. */
  tree(type: TypeName): fc.Arbitrary<Filter>
  simple(type: TypeName): fc.Arbitrary<Simple>
}

/** The fields that may stand in `field` beside each field: attributes of a comparable kind. */
const comparable: Readonly<Record<string, readonly string[]>> = {
  id: ['id'],
  name: ['name', 'email', 'gender'],
  email: ['name', 'email', 'gender'],
  gender: ['name', 'email', 'gender'],
  birth_date: ['birth_date'],
  serial: ['serial'],
}

/** How many levels of `and`, `or`, `not`, `any` and `has` a tree has at most. */
const deepest = 4

/** Filters whose values come mostly from these rows. */
export function filtersOver(tables: Tables): Filters {
  const values = valuesOver(tables)
  const made = new Map<string, fc.Arbitrary<Filter>>()
  const tree = (type: TypeName, depth: number): fc.Arbitrary<Filter> => {
    const key = `${type} ${depth}`
    const arbitrary = made.get(key) ?? anyFilter(type, depth)
    made.set(key, arbitrary)
    return arbitrary
  }
  const anyFilter = (type: TypeName, depth: number): fc.Arbitrary<Filter> => {
    const shallow = fc.oneof(
      { weight: 3, arbitrary: clauses(values, type) },
      { weight: 2, arbitrary: shortcut(values, type, 3) },
    )
    if (depth === 0) return shallow
    const inner = tree(type, depth - 1)
    const some = fc.array(inner, { minLength: 1, maxLength: 3 })
    return fc.oneof(
      { weight: 5, arbitrary: shallow },
      { weight: 2, arbitrary: some.map((and) => ({ and })) },
      { weight: 2, arbitrary: some.map((or) => ({ or })) },
      { weight: 2, arbitrary: inner.map((not) => ({ not })) },
      { weight: 2, arbitrary: follow(type, tree(relationships[type].type, depth - 1)) },
    )
  }
  return {
    tree: (type) => tree(type, deepest),
    simple: (type) => simple(values, type, 3),
  }
}

/** A comparison of one of the type's own fields, each operator of each field as likely as any other. */
function clauses(values: Values, type: TypeName): fc.Arbitrary<Clause> {
  return fc.oneof(...cells(type).map(([name, kind, op]) => clause(values, name, kind, op)))
}

function clause(values: Values, name: string, kind: Kind, op: OperatorName): fc.Arbitrary<Clause> {
  if (op === 'any' || op === 'has') {
    return fc.constantFrom<Clause>({ name, op }, { name, op, val: null })
  }
  const one = values.one(kind, op)
  const orNull = fc.option(one, { freq: 8 })
  if (op === 'between') {
    return fc.tuple(orNull, orNull).map((pair) => ({ name, op, val: ordered(kind, pair) }))
  }
  if (!isSingle(op)) return fc.array(orNull, { maxLength: 5 }).map((val) => ({ name, op, val }))
  const withValue = orNull.map((val) => ({ name, op, val }))
  const others = comparable[name]
  if (others === undefined) return withValue
  const withField = fc.constantFrom(...others).map((field) => ({ name, op, field }))
  return fc.oneof({ weight: 3, arbitrary: withValue }, { weight: 1, arbitrary: withField })
}

/** `any` or `has` with one nested filter, or with a list of them. */
function follow(type: TypeName, inner: fc.Arbitrary<Filter>): fc.Arbitrary<Filter> {
  const { name, follow: op } = relationships[type]
  const list = fc.array(inner, { minLength: 1, maxLength: 2 })
  return fc.oneof(
    { weight: 4, arbitrary: inner.map((val) => ({ name, op, val })) },
    { weight: 1, arbitrary: list.map((val) => ({ name, op, val })) },
  )
}

/** A comparison of a field one to `hops` relationships away, written `rel__field`. */
function shortcut(values: Values, type: TypeName, hops: number): fc.Arbitrary<Filter> {
  const { name, type: there } = relationships[type]
  const near = clauses(values, there).map((each) => ({ ...each, name: `${name}__${each.name}` }))
  if (hops === 1) return near
  const further = shortcut(values, there, hops - 1).map((each) =>
    'name' in each ? { ...each, name: `${name}__${each.name}` } : each,
  )
  return fc.oneof({ weight: 3, arbitrary: near }, { weight: 1, arbitrary: further })
}

function simple(values: Values, type: TypeName, hops: number): fc.Arbitrary<Simple> {
  const fields = Object.entries(filterable[type]).filter(([, kind]) => kind !== 'relationship')
  const here = fields.map(([name, kind]) => values.text(kind).map((text): Simple => [name, text]))
  if (hops === 0) return fc.oneof(...here)
  const { name, type: there } = relationships[type]
  const away = simple(values, there, hops - 1).map(
    ([field, text]): Simple => [`${name}__${field}`, text],
  )
  return fc.oneof({ weight: 3, arbitrary: fc.oneof(...here) }, { weight: 1, arbitrary: away })
}

/** Every operator of every field of a type; of `any` and `has`, the one that follows its relationship. */
function cells(type: TypeName): [name: string, kind: Kind, operator: OperatorName][] {
  return Object.entries<Kind>(filterable[type]).flatMap(([name, kind]) =>
    operatorsOf[kind]
      .filter((op) => (op !== 'any' && op !== 'has') || op === relationships[type].follow)
      .map((op): [string, Kind, OperatorName] => [name, kind, op]),
  )
}

/** Bounds of `between` mostly the right way round, so that they hold something; ids stay as drawn. */
function ordered(kind: Kind, [one, other]: [Literal, Literal]): Literal[] {
  if (kind === 'id' || one === null || other === null) return [one, other]
  return String(one) < String(other) ? [one, other] : [other, one]
}
