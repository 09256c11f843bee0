import { listPaths, type Method, type RouteTarget } from '../describe/paths.ts'
import { HttpError } from '../errors/errors.ts'
import { describeReadOnly } from '../model/check/describe-read-only.ts'
import type { Awaitable } from '../model/declare/hooks.ts'
import type { RelationshipField, ResourceType } from '../model/model.ts'
import type { Identity } from '../plan/access/identity.ts'
import type { Planner } from '../plan/planner.ts'
import type { DocumentText } from '../serialize/document.ts'
import type { AppContext } from './app-context.ts'
import { callAction } from './call-action.ts'
import { getRoot } from './get-root.ts'
import { handleRequest } from './handle-request.ts'
import type { ApiRequest, RouteHandler } from './handler.ts'
import {
  getCollection,
  getLinkage,
  getRelatedCollection,
  getRelatedResource,
  getResource,
} from './read-endpoints.ts'
import type { RequestPlan, RequestPlanner } from './request-plan.ts'
import {
  createResource,
  deleteResource,
  updateResource,
  writeRelationship,
} from './write-endpoints.ts'

/** A path and the handlers of its methods; `:id` is the only parameter of a path. */
export interface Route {
  readonly path: string
  /** Absent for a route of an optional part, e.g. a stylesheet. */
  readonly target?: RouteTarget
  readonly methods: Readonly<Partial<Record<Method, RouteHandler>>>
  /** The methods that have no handler because the resource is read-only; the server rejects them with 403. */
  readonly readOnlyMethods: readonly Method[]
  /** True if its documents are those of the extension Atomic Operations, whose media type is negotiated. Default false. */
  readonly isAtomic?: boolean
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
  /** Plans the requests of each method, for those that are only explained. */
  readonly planners: ByMethod<RoutePlanner>
}

/** Plans a request of a route without executing it. @throws the errors of `RequestPlanner` */
export type RoutePlanner = (request: ApiRequest, context: AppContext) => PlannedRequest

/** A request that has been planned. */
interface PlannedRequest {
  readonly plan: RequestPlan<DocumentText>
  /** Whose rules its statements have; absent in a model without access rules. */
  readonly identity?: Identity
}

type ByMethod<Value> = Readonly<Partial<Record<Method, Value>>>

/** Creates the error of a method that a path does not have because clients cannot write there. */
export function createReadOnlyError({ target }: Pick<Route, 'target'>, method: string): HttpError {
  const relationship = target && 'relationship' in target ? target.relationship : undefined
  const reason =
    relationship && (relationship.isImmutable || relationship.isPartOfIds)
      ? describeReadOnly(relationship)
      : 'this resource is read-only.'
  return new HttpError('read_only', `${method} is not allowed: ${reason}`)
}

/** A path and what plans the requests of its methods. */
export interface Endpoint extends Pick<ModelRoute, 'path' | 'target' | 'readOnlyMethods'> {
  readonly planners: ByMethod<RequestPlanner>
}

/** Returns every path of a service, without the prefix. */
export function listEndpoints(planner: Planner): Endpoint[] {
  return listPaths(planner.model).map(({ path, target, methods, readOnlyMethods }) => {
    const all = planMethods(planner, target)
    const planners = Object.fromEntries(methods.map((method) => [method, all[method]]))
    return { path, target, readOnlyMethods, planners }
  })
}

/** Returns every path of a service with its handlers, without the prefix and without access rules. */
export function buildRouteTable(planner: Planner): ModelRoute[] {
  return listEndpoints(planner).map(({ planners, ...endpoint }) => ({
    ...endpoint,
    methods: mapMethods(
      planners,
      (plan): RouteHandler =>
        (request, context) =>
          handleRequest(plan, request, context),
    ),
    planners: mapMethods(
      planners,
      (plan): RoutePlanner =>
        (request, context) => ({ plan: plan(request, context) }),
    ),
  }))
}

/** Replaces the value of each method. */
export function mapMethods<Value, Mapped>(
  values: ByMethod<Value>,
  map: (value: Value, method: Method) => Mapped,
): ByMethod<Mapped> {
  // The keys are methods; `Object.entries` returns them as strings.
  const entries = Object.entries(values) as [Method, Value][]
  return Object.fromEntries(entries.map(([method, value]) => [method, map(value, method)]))
}

/** Plans the requests of every method that a path may have. */
function planMethods(planner: Planner, target: RouteTarget): Endpoint['planners'] {
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
      return planRelated(planner, target.resource, target.relationship)
    case 'relationship':
      return planRelationship(planner, target.resource, target.relationship)
  }
}

function planRelated(
  planner: Planner,
  resource: ResourceType,
  relationship: RelationshipField,
): Endpoint['planners'] {
  if (!relationship.many) return { GET: getRelatedResource(planner, resource, relationship) }
  return {
    GET: getRelatedCollection(planner, resource, relationship),
    POST: createResource(planner, resource, relationship),
  }
}

function planRelationship(
  planner: Planner,
  resource: ResourceType,
  relationship: RelationshipField,
): Endpoint['planners'] {
  return {
    GET: getLinkage(planner, resource, relationship),
    PATCH: writeRelationship(planner, resource, relationship, 'replace'),
    POST: writeRelationship(planner, resource, relationship, 'add'),
    DELETE: writeRelationship(planner, resource, relationship, 'remove'),
  }
}

/** A text that is the same for every request, such as a script. It is sent compressed, and not again to a client that has it. */
export interface StaticFile {
  /** Its header fields, such as `content-type` and `cache-control`. */
  readonly headers: Readonly<Record<string, string>>
  /** Reads the text; called when it is first requested. */
  readonly read: () => Awaitable<string>
}
