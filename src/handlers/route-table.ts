import { getResourceType, type RelationshipField, type ResourceType } from '../model/model.ts'
import type { Planner } from '../plan/planner.ts'
import { createResource } from './create-resource.ts'
import { deleteResource } from './delete-resource.ts'
import { getCollection } from './get-collection.ts'
import { getRelatedCollection } from './get-related-collection.ts'
import { getRelatedResource } from './get-related-resource.ts'
import { getRelationship } from './get-relationship.ts'
import { getResource } from './get-resource.ts'
import { getRoot } from './get-root.ts'
import type { RouteHandler } from './handler.ts'
import { updateResource } from './update-resource.ts'
import { writeRelationship } from './write-relationship.ts'

/** An HTTP method with a handler. The server derives HEAD from GET, and answers OPTIONS and 405 from the table. */
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** What a path addresses: the root, the resources of a type, one resource, its related resources, or their linkage. */
export type RouteTarget =
  | Readonly<{ is: 'root' }>
  | Readonly<{ is: 'collection' | 'resource'; resource: ResourceType }>
  | Readonly<{
      is: 'related' | 'relationship'
      resource: ResourceType
      relationship: RelationshipField
    }>

/** A path and the handlers of its methods; `:id` is the only parameter of a path. */
export interface Route {
  readonly path: string
  /** Absent for a route of an optional part, e.g. a stylesheet. */
  readonly target?: RouteTarget
  readonly methods: Readonly<Partial<Record<Method, RouteHandler>>>
  /** The methods that have no handler because the resource is read-only; the server rejects them with 403. */
  readonly readOnlyMethods: readonly Method[]
  /** True if requests are not authenticated. Default false. */
  readonly isPublic?: boolean
}

/** A route of the model. */
export interface ModelRoute extends Route {
  readonly target: RouteTarget
}

/** Returns every path of a service, without the prefix. */
export function buildRouteTable(planner: Planner): ModelRoute[] {
  const routes = [defineRoute('/', { is: 'root' }, false, { GET: getRoot })]
  for (const resource of planner.model.types.values()) {
    const { path, isWritable } = resource
    routes.push(
      defineRoute(path, { is: 'collection', resource }, isWritable, {
        GET: getCollection(planner, resource),
        POST: createResource(planner, resource),
      }),
      defineRoute(`${path}/:id`, { is: 'resource', resource }, isWritable, {
        GET: getResource(planner, resource),
        PATCH: updateResource(planner, resource),
        DELETE: deleteResource(planner, resource),
      }),
    )
    for (const field of resource.fields.values()) {
      if (field.is === 'relationship')
        routes.push(
          defineRelatedRoute(planner, resource, field),
          defineRelationshipRoute(planner, resource, field),
        )
    }
  }
  return routes
}

function defineRelatedRoute(
  planner: Planner,
  resource: ResourceType,
  relationship: RelationshipField,
): ModelRoute {
  const path = `${resource.path}/:id/${relationship.name}`
  const target = { is: 'related', resource, relationship } as const
  if (!relationship.many)
    return defineRoute(path, target, false, {
      GET: getRelatedResource(planner, resource, relationship),
    })
  const related = getResourceType(planner.model, relationship.to)
  return defineRoute(path, target, relationship.isWritable && related.isWritable, {
    GET: getRelatedCollection(planner, resource, relationship),
    POST: createResource(planner, resource, relationship),
  })
}

function defineRelationshipRoute(
  planner: Planner,
  resource: ResourceType,
  relationship: RelationshipField,
): ModelRoute {
  const path = `${resource.path}/:id/relationships/${relationship.name}`
  const target = { is: 'relationship', resource, relationship } as const
  return defineRoute(path, target, relationship.isWritable, {
    GET: getRelationship(planner, resource, relationship),
    PATCH: writeRelationship(planner, resource, relationship, 'replace'),
    POST: writeRelationship(planner, resource, relationship, 'add'),
    DELETE: writeRelationship(planner, resource, relationship, 'remove'),
  })
}

function defineRoute(
  path: string,
  target: RouteTarget,
  isWritable: boolean,
  methods: Route['methods'] & Readonly<{ GET: RouteHandler }>,
): ModelRoute {
  if (isWritable) return { path, target, methods, readOnlyMethods: [] }
  const { GET, ...writes } = methods
  // The keys of `methods` are methods; `Object.keys` returns them as strings.
  return { path, target, methods: { GET }, readOnlyMethods: Object.keys(writes) as Method[] }
}
