import { getRelationship, getResourceType, type Model, type ResourceType } from '../model/model.ts'
import type { Condition } from './filter/condition.ts'
import type { ReadPlan, ReadShape } from './read.ts'
import type { OrderTerm } from './sort.ts'

/**
 * The resource types about which the result of a plan reveals something, each once: those of the path, the primary data,
 * the included resources and their linkage, and those in filters and sort paths.
 */
export function findAffectedTypes(
  { shape }: Pick<ReadPlan, 'shape'>,
  model: Model,
): ResourceType[] {
  const { addressed, primary, included } = shape
  const linked = [primary, ...included].flatMap(({ type, linkages, values }) =>
    [
      ...linkages.map(({ relationship }) => relationship),
      ...values.flatMap((value) => ('count' in value ? [value.count] : [])),
    ].map((relationship) => follow(getResourceType(model, type), relationship, model)),
  )
  return [
    ...new Set([
      ...(addressed.is === 'related' ? [getResourceType(model, addressed.type)] : []),
      getResourceType(model, shape.type),
      ...included.map(({ type }) => getResourceType(model, type)),
      ...linked,
      ...listSelections(shape, model).flatMap((selection) => findComparedTypes(selection, model)),
    ]),
  ]
}

/** By what the resources of a list are selected and sorted. */
interface Selection {
  readonly resource: ResourceType
  readonly where?: Condition | undefined
  readonly order: readonly OrderTerm[]
}

/** The selections of a query shape: that of the primary data, and those of pages of included resources. */
export function listSelections(
  { type, where, order, includeEdges }: ReadShape,
  model: Model,
): Selection[] {
  const pages = includeEdges.flatMap(({ to, page }) => (page ? [{ type: to, ...page }] : []))
  return [{ type, where, order }, ...pages].map(({ type: each, ...selection }) => ({
    ...selection,
    resource: getResourceType(model, each),
  }))
}

/** The types whose rows decide a selection, without its own. */
function findComparedTypes({ resource, where, order }: Selection, model: Model): ResourceType[] {
  return [
    ...collectConditions(where, resource, model).flatMap(([type, condition]) =>
      'relationship' in condition ? [follow(type, condition.relationship, model)] : [],
    ),
    ...order.flatMap(({ path, field, isCount }) =>
      followPath(isCount ? [...path, field] : path, resource, model),
    ),
  ]
}

/** The type that a relationship leads to. */
function follow(resource: ResourceType, relationship: string, model: Model): ResourceType {
  return getResourceType(model, getRelationship(resource, relationship).to)
}

/** The types along a relationship path, without the first. */
export function followPath(
  path: readonly string[],
  resource: ResourceType,
  model: Model,
): ResourceType[] {
  const [name, ...rest] = path
  if (name === undefined) return []
  const next = follow(resource, name, model)
  return [next, ...followPath(rest, next, model)]
}

/** All conditions of a condition tree, the root first, each with the type that it applies to. */
export function collectConditions(
  condition: Condition | undefined,
  resource: ResourceType,
  model: Model,
): (readonly [ResourceType, Condition])[] {
  return condition === undefined
    ? []
    : [[resource, condition], ...collectInner(condition, resource, model)]
}

function collectInner(
  condition: Condition,
  resource: ResourceType,
  model: Model,
): (readonly [ResourceType, Condition])[] {
  switch (condition.is) {
    case 'compare':
    case 'fields':
    case 'null':
    case 'custom':
    case 'count':
    case 'call':
      return []
    case 'related': {
      const related = follow(resource, condition.relationship, model)
      return collectConditions(condition.where, related, model)
    }
    case 'and':
    case 'or':
      return condition.all.flatMap((part) => collectConditions(part, resource, model))
    case 'not':
      return collectConditions(condition.inner, resource, model)
  }
}
