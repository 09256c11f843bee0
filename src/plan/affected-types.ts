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
      ...conditionsIn(where, resource, model).flatMap(([from, condition]) =>
        condition.is === 'related' ? [leadsTo(from, condition.relationship, model)] : [],
      ),
      ...order.flatMap(({ way }) => onTheWay(way, resource, model)),
    ]),
  ]
}

function leadsTo(resource: ResourceType, relationship: string, model: Model): ResourceType {
  return typeNamed(model, relationshipNamed(resource, relationship).to)
}

/** Every condition within a condition, itself among them, each with the type of which it is asked. */
export function conditionsIn(
  condition: Condition | undefined,
  resource: ResourceType,
  model: Model,
): (readonly [ResourceType, Condition])[] {
  const inner = (): (readonly [ResourceType, Condition])[] => {
    switch (condition?.is) {
      case undefined:
      case 'compare':
      case 'fields':
      case 'null':
        return []
      case 'related':
        return conditionsIn(
          condition.where,
          leadsTo(resource, condition.relationship, model),
          model,
        )
      case 'and':
      case 'or':
        return condition.all.flatMap((part) => conditionsIn(part, resource, model))
      case 'not':
        return conditionsIn(condition.inner, resource, model)
    }
  }
  return condition === undefined ? [] : [[resource, condition], ...inner()]
}

function onTheWay(way: readonly string[], resource: ResourceType, model: Model): ResourceType[] {
  const [step, ...rest] = way
  if (step === undefined) return []
  const other = leadsTo(resource, step, model)
  return [other, ...onTheWay(rest, other, model)]
}
