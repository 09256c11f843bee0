import { type ErrorCollector, emptyCollector, refuse, report } from '../errors/collector.ts'
import { ParameterError, quoted } from '../errors/errors.ts'
import { suggestion } from '../errors/suggestion.ts'
import {
  type Field,
  type Model,
  type ResourceType,
  relationshipOf,
  typeNamed,
} from '../model/model.ts'
import type { SortTerm } from '../parse/sort.ts'

/** One term of an order: an attribute, here or at the end of a way through to-one relationships. */
export interface Order {
  /** The names of the relationships. */
  readonly way: readonly string[]
  readonly field: string
  readonly descending: boolean
  /** Whether a null can turn up; it counts as the largest value. A required attribute may be null in the table. */
  readonly nullable: boolean
}

/** More relationships than any sensible order follows; each costs a join, and databases bound those. */
const mostJoins = 20

/**
 * Gives the names of a sort their meaning and ends it with the id, so that no two rows are equal.
 *
 * @throws ApiError | ManyErrors `invalid_sort` (400) for every name that cannot be sorted by
 * @see SERVICE §5; JSON:API 1.0, Sorting
 */
export function planSort(
  terms: readonly SortTerm[],
  resource: ResourceType,
  model: Model,
): readonly Order[] {
  const errors = emptyCollector()
  const orders = terms.map((term) => planTerm(term, resource, model, errors))
  refuse(errors)
  const order = distinct(orders.filter((each) => each !== undefined))
  if (joinsOf(order) > mostJoins) throw tooManyJoins()
  const isUnique = order.some(({ way, field }) => way.length === 0 && field === 'id')
  return isUnique ? order : [...order, { way: [], field: 'id', descending: false, nullable: false }]
}

/** A second term over the same field changes nothing. */
function distinct(order: readonly Order[]): readonly Order[] {
  if (order.length < 2) return order
  const known = new Set<string>()
  return order.filter(({ way, field }) => {
    const key = wayKey([...way, field])
    if (known.has(key)) return false
    known.add(key)
    return true
  })
}

/** Equal ways have equal keys; terms that go the same way share its joins. */
export function wayKey(way: Order['way']): string {
  return JSON.stringify(way)
}

function joinsOf(order: readonly Order[]): number {
  const joins = order.flatMap(({ way }) => way.map((_, step) => wayKey(way.slice(0, step + 1))))
  return new Set(joins).size
}

function planTerm(
  { path, descending }: SortTerm,
  resource: ResourceType,
  model: Model,
  errors: ErrorCollector,
): Order | undefined {
  const steps = path.slice(0, -1)
  if (steps.length > mostJoins) return report(errors, tooManyJoins)
  let at = resource
  for (const step of steps) {
    const field = relationshipOf(at, step)
    const type = at
    if (field === undefined)
      return report(errors, () => unknown(step, type, 'relationship', toOnes(type)))
    if (field.many) return report(errors, () => leadsToMany(step, type))
    at = typeNamed(model, field.to)
  }
  const name = path[path.length - 1] ?? ''
  const field = name === 'id' ? at.id : at.fields.get(name)
  if (field?.is !== 'attribute' || !field.sorts)
    return report(errors, () => notSortable(name, field, at))
  const nullable = steps.length > 0 || field !== at.id
  return { way: steps, field: field.name, descending, nullable }
}

function leadsToMany(step: string, { type }: ResourceType): ParameterError {
  return refusal(
    `${type}.${step} leads to many resources; a sort goes through to-one relationships.`,
  )
}

/** A name that may not be sorted by is refused word for word as one that does not exist. */
function notSortable(
  name: string,
  field: Field | undefined,
  resource: ResourceType,
): ParameterError {
  if (field?.is === 'attribute' && field.reads && field.kind.operators === 'opaque')
    return refusal(`${resource.type}.${name} has no order and cannot be sorted by.`)
  if (field?.is === 'computed')
    return refusal(`${resource.type}.${name} is computed and cannot be sorted by.`)
  if (field?.is === 'relationship') {
    const use = field.many ? '' : `; sort by a field of it, as in "${name}.id"`
    return refusal(`${resource.type}.${name} is a relationship and cannot be sorted by${use}.`)
  }
  const attributes = [...resource.fields.values()].filter(
    (each) => each.is === 'attribute' && each.sorts,
  )
  return unknown(name, resource, 'field', ['id', ...attributes.map((each) => each.name)])
}

function toOnes(resource: ResourceType): string[] {
  return [...resource.fields.values()]
    .filter((field) => field.is === 'relationship' && !field.many)
    .map(({ name }) => name)
}

function unknown(
  name: string,
  resource: ResourceType,
  what: string,
  names: readonly string[],
): ParameterError {
  const known = suggestion(name, names, `${what}s to sort by`)
  return refusal(`sort: ${resource.type} has no ${what} ${quoted(name)}; ${known}`)
}

function tooManyJoins(): ParameterError {
  return refusal(`sort follows more than ${mostJoins} relationships.`)
}

function refusal(detail: string): ParameterError {
  return new ParameterError('invalid_sort', 'sort', detail)
}
