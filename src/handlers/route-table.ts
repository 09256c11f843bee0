import type { RelationshipField, ResourceType } from '../model/model.ts'
import type { Planner } from '../plan/planner.ts'
import { callAction } from './call-action.ts'
import { createResource } from './create-resource.ts'
import { deleteResource } from './delete-resource.ts'
import { getCollection } from './get-collection.ts'
import { getLinkage } from './get-linkage.ts'
import { getRelatedCollection } from './get-related-collection.ts'
import { getRelatedResource } from './get-related-resource.ts'
import { getResource } from './get-resource.ts'
import { getRoot } from './get-root.ts'
import type { RouteHandler } from './handler.ts'
import { listPaths, type Method, type RouteTarget } from './model-paths.ts'
import type { StaticFile } from './static-file.ts'
import { updateResource } from './update-resource.ts'
import { writeRelationship } from './write-relationship.ts'

/** A path and the handlers of its methods; `:id` is the only parameter of a path. */
export interface Route {
  readonly path: string
  /** Absent for a route of an optional part, e.g. a stylesheet. */
  readonly target?: RouteTarget
  readonly methods: Readonly<Partial<Record<Method, RouteHandler>>>
  /** The methods that have no handler because the resource is read-only; the server rejects them with 403. */
  readonly readOnlyMethods: readonly Method[]
  /** Header fields of the successful responses to GET and HEAD. */
  readonly headers?: Readonly<Record<string, string>>
  /** True if requests are not authenticated. Default false. */
  readonly isPublic?: boolean
  /** The media type of the responses to GET, for a route that is not of the model. */
  readonly mediaType?: string
  /** The response to GET and HEAD for a public route with a file, instead of that of the handler. */
  readonly file?: StaticFile
  /**
   * Throws `HiddenRouteError` if the path does not exist for an auth context. OPTIONS and methods that the path does not have are
   * authenticated first then. Absent for a path that exists for everybody.
   */
  readonly checkVisible?: (auth: unknown) => void
}

/** A route of the model. */
export interface ModelRoute extends Route {
  readonly target: RouteTarget
}

/** Returns every path of a service with its handlers, without the prefix. */
export function buildRouteTable(planner: Planner): ModelRoute[] {
  return listPaths(planner.model).map(({ path, target, methods, readOnlyMethods }) => ({
    path,
    target,
    methods: selectMethods(createHandlers(planner, target), methods),
    readOnlyMethods,
  }))
}

function selectMethods(handlers: Route['methods'], methods: readonly Method[]): Route['methods'] {
  return Object.fromEntries(methods.map((method) => [method, handlers[method]]))
}

/** Creates the handlers of every method that a path may have. */
function createHandlers(planner: Planner, target: RouteTarget): Route['methods'] {
  switch (target.is) {
    case 'root':
      return { GET: getRoot() }
    case 'collection':
      return {
        GET: getCollection(planner, target.resource),
        POST: createResource(planner, target.resource),
      }
    case 'resource':
      return {
        GET: getResource(planner, target.resource),
        PATCH: updateResource(planner, target.resource),
        DELETE: deleteResource(planner, target.resource),
      }
    case 'action':
      return { POST: callAction(planner, target.resource, target.action) }
    case 'related':
      return createRelatedHandlers(planner, target.resource, target.relationship)
    case 'relationship':
      return createRelationshipHandlers(planner, target.resource, target.relationship)
  }
}

function createRelatedHandlers(
  planner: Planner,
  resource: ResourceType,
  relationship: RelationshipField,
): Route['methods'] {
  if (!relationship.many) return { GET: getRelatedResource(planner, resource, relationship) }
  return {
    GET: getRelatedCollection(planner, resource, relationship),
    POST: createResource(planner, resource, relationship),
  }
}

function createRelationshipHandlers(
  planner: Planner,
  resource: ResourceType,
  relationship: RelationshipField,
): Route['methods'] {
  return {
    GET: getLinkage(planner, resource, relationship),
    PATCH: writeRelationship(planner, resource, relationship, 'replace'),
    POST: writeRelationship(planner, resource, relationship, 'add'),
    DELETE: writeRelationship(planner, resource, relationship, 'remove'),
  }
}
