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
import type { Handler } from './handler.ts'
import { updateResource } from './update-resource.ts'
import { writeRelationship } from './write-relationship.ts'

/** An HTTP method with a handler. The server derives HEAD from GET, and answers OPTIONS and 405 from the table. */
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** A path and the handlers of its methods; `:id` is the only parameter of a path. */
export interface Route {
  readonly path: string
  readonly methods: Readonly<Partial<Record<Method, Handler>>>
  /** The methods that have no handler because the resource is read-only; the server rejects them with 403. */
  readonly readOnlyMethods: readonly Method[]
}

/** Returns every path of a service, without the prefix. */
export function buildRouteTable(planner: Planner): Route[] {
  const routes = [defineRoute('/', getRoot, false, {})]
  for (const resource of planner.model.types.values()) {
    const { path, isWritable } = resource
    routes.push(
      defineRoute(path, getCollection(planner, resource), isWritable, {
        POST: createResource(planner, resource),
      }),
      defineRoute(`${path}/:id`, getResource(planner, resource), isWritable, {
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
  field: RelationshipField,
): Route {
  const path = `${resource.path}/:id/${field.name}`
  if (!field.many) return defineRoute(path, getRelatedResource(planner, resource, field), false, {})
  const isWritable = field.isWritable && getResourceType(planner.model, field.to).isWritable
  return defineRoute(path, getRelatedCollection(planner, resource, field), isWritable, {
    POST: createResource(planner, resource, field),
  })
}

function defineRelationshipRoute(
  planner: Planner,
  resource: ResourceType,
  field: RelationshipField,
): Route {
  const path = `${resource.path}/:id/relationships/${field.name}`
  return defineRoute(path, getRelationship(planner, resource, field), field.isWritable, {
    PATCH: writeRelationship(planner, resource, field, 'replace'),
    POST: writeRelationship(planner, resource, field, 'add'),
    DELETE: writeRelationship(planner, resource, field, 'remove'),
  })
}

function defineRoute(
  path: string,
  read: Handler,
  isWritable: boolean,
  writes: Route['methods'],
): Route {
  if (isWritable) return { path, methods: { GET: read, ...writes }, readOnlyMethods: [] }
  // The keys of `methods` are methods; `Object.keys` returns them as strings.
  return { path, methods: { GET: read }, readOnlyMethods: Object.keys(writes) as Method[] }
}
