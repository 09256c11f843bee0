import { type Model, type ResourceType, relationshipNamed, typeNamed } from '../model/model.ts'
import type { Condition } from './filter.ts'
import type { ReadPlan } from './read.ts'

/**
 * The resource types of which a plan lets something be known, each once: those in the path, of primary data, included, named
 * in linkage, and those that a filter or a sort asks about.
 */
export function touchedTypes({ shape }: ReadPlan, model: Model): ResourceType[] {
  const { scope, where, order, primary, included } = shape
  const resource = typeNamed(model, shape.type)
  const named = [primary, ...included].flatMap(({ type, linkages }) =>
    linkages.map(({ relationship }) => leadsTo(typeNamed(model, type), relationship, model)),
  )
  return [
    ...new Set([
      ...(scope.is === 'related' ? [typeNamed(model, scope.type)] : []),
      resource,
      ...included.map(({ type }) => typeNamed(model, type)),
      ...named,
      ...(where ? askedBy(where, resource, model) : []),
      ...order.flatMap(({ way }) => onTheWay(way, resource, model)),
    ]),
  ]
}

function leadsTo(resource: ResourceType, relationship: string, model: Model): ResourceType {
  return typeNamed(model, relationshipNamed(resource, relationship).to)
}

function askedBy(condition: Condition, resource: ResourceType, model: Model): ResourceType[] {
  switch (condition.is) {
    case 'compare':
    case 'fields':
    case 'null':
      return []
    case 'related': {
      const other = leadsTo(resource, condition.relationship, model)
      return [other, ...(condition.where ? askedBy(condition.where, other, model) : [])]
    }
    case 'and':
    case 'or':
      return condition.all.flatMap((part) => askedBy(part, resource, model))
    case 'not':
      return askedBy(condition.inner, resource, model)
  }
}

function onTheWay(way: readonly string[], resource: ResourceType, model: Model): ResourceType[] {
  const [step, ...rest] = way
  if (step === undefined) return []
  const other = leadsTo(resource, step, model)
  return [other, ...onTheWay(rest, other, model)]
}
