import type { RelationshipField, ResourceType } from '../model/model.ts'
import { type ParsedQuery, parseQuery } from '../parse/query.ts'
import { autoParameterize } from '../plan/cache/auto-parameterization.ts'
import { cachePlans } from '../plan/cache/plan-cache.ts'
import { nameIdParameter, parsePathId } from '../plan/path-id.ts'
import type { Planner } from '../plan/planner.ts'
import { planCollection, planLinkage, planResource, type ReadPlan } from '../plan/read.ts'
import { getRowVersion, getSetVersion } from '../plan/version-condition.ts'
import { formatRelatedPath, formatRelationshipPath, formatResourcePath } from './paths.ts'
import type { RequestPlanner } from './request-plan.ts'

/** Caches the plans of the queries of a list, in which texts are values. */
function cacheLists(plan: (query: ParsedQuery) => ReadPlan): (search: string) => ReadPlan {
  return cachePlans(autoParameterize((search) => plan(parseQuery(search))))
}

/** `GET /persons`: the resources of a type. */
export function getCollection(planner: Planner, resource: ResourceType): RequestPlanner {
  const planQuery = cacheLists((query) => planCollection(planner, query, { resource }))
  return ({ search, origin, isLong, describedBy }, { serializer, prefix }) => {
    const read = planQuery(search)
    const linkBase = { origin, path: prefix + resource.path, isLong, describedBy }
    return {
      ...{ is: 'read', read, id: undefined },
      serialize: (plan, rows) => serializer.serializeCollection(plan, rows, linkBase),
    }
  }
}

/** `GET /persons/1`: one resource. */
export function getResource(planner: Planner, resource: ResourceType): RequestPlanner {
  const planQuery = cachePlans((search) => planResource(planner, parseQuery(search), { resource }))
  return (request, { serializer, prefix }) => {
    const id = parsePathId(resource, request.id)
    const read = planQuery(request.search)
    const path = formatResourcePath(prefix, resource, id)
    return {
      ...{ is: 'read', read, id },
      serialize: (plan, rows) =>
        serializer.serializeResource(plan, rows, path, request.describedBy),
      version: (rows) => getRowVersion(planner, read, rows),
    }
  }
}

/** `GET /persons/1/computers`: the related resources of a to-many relationship. */
export function getRelatedCollection(
  planner: Planner,
  resource: ResourceType,
  relationship: RelationshipField,
): RequestPlanner {
  const planQuery = cacheLists((query) =>
    planCollection(planner, query, { resource, relationship }),
  )
  const parameter = nameIdParameter(resource, relationship)
  return (request, { serializer, prefix }) => {
    const id = parsePathId(resource, request.id, parameter)
    const read = planQuery(request.search)
    const path = formatRelatedPath(prefix, resource, id, relationship)
    const { origin, isLong, describedBy } = request
    const linkBase = { origin, path, isLong, describedBy }
    return {
      ...{ is: 'read', read, id },
      serialize: (plan, rows) => serializer.serializeCollection(plan, rows, linkBase),
    }
  }
}

/** `GET /computers/1/owner`: the related resource of a to-one relationship, or null. */
export function getRelatedResource(
  planner: Planner,
  resource: ResourceType,
  relationship: RelationshipField,
): RequestPlanner {
  const planQuery = cachePlans((search) =>
    planResource(planner, parseQuery(search), { resource, relationship }),
  )
  const parameter = nameIdParameter(resource, relationship)
  return (request, { serializer, prefix }) => {
    const id = parsePathId(resource, request.id, parameter)
    const read = planQuery(request.search)
    const path = formatRelatedPath(prefix, resource, id, relationship)
    return {
      ...{ is: 'read', read, id },
      serialize: (plan, rows) =>
        serializer.serializeResource(plan, rows, path, request.describedBy),
    }
  }
}

/** `GET /persons/1/relationships/computers`: the linkage of a relationship. */
export function getLinkage(
  planner: Planner,
  resource: ResourceType,
  relationship: RelationshipField,
): RequestPlanner {
  const planQuery = cacheLists((query) => planLinkage(planner, query, { resource, relationship }))
  return (request, { serializer, prefix }) => {
    const id = parsePathId(resource, request.id)
    const read = planQuery(request.search)
    const path = formatRelationshipPath(prefix, resource, id, relationship)
    const related = formatRelatedPath(prefix, resource, id, relationship)
    const { origin, isLong, describedBy } = request
    const linkBase = { origin, path, related, isLong, describedBy }
    const serialize = relationship.many
      ? serializer.serializeToManyLinkage
      : serializer.serializeToOneLinkage
    return {
      ...{ is: 'read', read, id },
      serialize: (plan, rows) => serialize(plan, rows, linkBase),
      version: (rows) =>
        getSetVersion(planner, read, rows, {
          type: resource.type,
          id,
          relationship: relationship.name,
        }),
    }
  }
}
