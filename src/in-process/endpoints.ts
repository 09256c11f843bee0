import { callAction } from '../endpoints/call-action.ts'
import type { ApiRequest } from '../endpoints/handler.ts'
import { getCollection, getResource } from '../endpoints/read-endpoints.ts'
import type { RequestPlanner } from '../endpoints/request-plan.ts'
import {
  createResource,
  deleteResource,
  updateResource,
  writeRelationship,
} from '../endpoints/write-endpoints.ts'
import { HttpError } from '../errors/errors.ts'
import { suggest } from '../errors/suggestion.ts'
import type { LifecycleContext } from '../lifecycle/context.ts'
import { executeRead } from '../lifecycle/read.ts'
import { describeReadOnly } from '../model/check/describe-read-only.ts'
import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import { listRelationships, type RelationshipField, type ResourceType } from '../model/model.ts'
import { parseQuery } from '../parse/query.ts'
import { cachePlans } from '../plan/cache/plan-cache.ts'
import type { Planner } from '../plan/planner.ts'
import { planCollection } from '../plan/read.ts'
import type { LinkChange } from '../plan/write-builder.ts'
import { findNamedField, isStored, type Writer } from '../plan/write-rights.ts'
import { compileObjects, type PlainObject } from '../serialize/objects.ts'

/** The planners of the operations on one resource type. */
interface Endpoints {
  readonly resource: ResourceType
  readonly list: RequestPlanner
  readonly get: RequestPlanner
  readonly create: RequestPlanner
  readonly update: RequestPlanner
  readonly remove: RequestPlanner
  readonly readEach: ResourceReader
  readonly relate: (
    relationship: RelationshipField,
  ) => Readonly<Record<LinkChange['change'], RequestPlanner>>
  /** The handlers of the actions, by name. */
  readonly actions: ReadonlyMap<string, RequestPlanner>
}

/** Returns the operations on a type. @throws HttpError `route_not_found` (404) for a type that does not exist */
export type EndpointFinder = (type: string) => Endpoints

/** Creates the operations of every type, each when it is first used. */
export function createEndpointFinder(planner: Planner): EndpointFinder {
  const { types } = planner.model
  const getEndpoints = memoizeByIdentity((resource: ResourceType) =>
    createEndpoints(planner, resource),
  )
  return (type) => {
    const resource = types.get(type)
    if (resource) return getEndpoints(resource)
    const known = suggest(type, [...types.keys()], 'types')
    throw new HttpError(
      'route_not_found',
      `There is no resource type ${JSON.stringify(type)}; ${known}`,
    )
  }
}

function createEndpoints(planner: Planner, resource: ResourceType): Endpoints {
  return {
    resource,
    list: getCollection(planner, resource),
    get: getResource(planner, resource),
    create: createResource(planner, resource),
    update: updateResource(planner, resource),
    remove: deleteResource(planner, resource),
    readEach: createResourceReader(planner, resource),
    relate: memoizeByIdentity((relationship: RelationshipField) => ({
      add: writeRelationship(planner, resource, relationship, 'add'),
      remove: writeRelationship(planner, resource, relationship, 'remove'),
      replace: writeRelationship(planner, resource, relationship, 'replace'),
    })),
    actions: new Map(
      [...resource.actions].map(([name, action]) => [
        name,
        callAction(planner, resource, { name, action }),
      ]),
    ),
  }
}

/** @throws HttpError `read_only` (403) if clients cannot write the resources of a type */
export function checkWritable({ type, isWritable }: ResourceType): void {
  if (!isWritable) throw new HttpError('read_only', `The type ${type} is read-only.`)
}

/** Returns the handler of an action. @throws HttpError `route_not_found` (404) if it does not exist */
export function findAction({ resource, actions }: Endpoints, name: string): RequestPlanner {
  const found = actions.get(name)
  if (found) return found
  const known = suggest(name, [...actions.keys()], `actions of ${resource.type}`)
  throw new HttpError(
    'route_not_found',
    `${resource.type} has no action ${JSON.stringify(name)}; ${known}`,
  )
}

/**
 * Returns a relationship that a call changes.
 * @throws HttpError `route_not_found` (404) if it does not exist, `read_only` (403) if clients cannot write it
 */
export function findWritableRelationship(
  resource: ResourceType,
  name: string,
  writer: Writer,
): RelationshipField {
  const relationship = findNamedField(name, { resource, writer })
  if (relationship?.is !== 'relationship') {
    const names = listRelationships(resource).map((each) => each.name)
    const known = suggest(name, names, `relationships of ${resource.type}`)
    const detail = `${resource.type} has no relationship ${JSON.stringify(name)}; ${known}`
    throw new HttpError('route_not_found', detail)
  }
  if (writer === 'server' && isStored(relationship)) return relationship
  if (relationship.isImmutable || (!relationship.isWritable && relationship.isPartOfIds))
    throw new HttpError('read_only', describeReadOnly(relationship))
  if (!relationship.isWritable)
    throw new HttpError('read_only', `The relationship ${resource.type}.${name} is read-only.`)
  return relationship
}

/** Reads all resources of a list, one after the other. */
type ResourceReader = (
  request: ApiRequest,
  context: LifecycleContext,
) => AsyncGenerator<PlainObject, void, undefined>

/**
 * Creates the reader of all resources of a type. The maximum page size bounds the work of a request; here the application
 * itself asks for everything, so it does not apply.
 */
function createResourceReader(planner: Planner, resource: ResourceType): ResourceReader {
  const unbounded = { ...planner, model: { ...planner.model, maxPageSize: undefined } }
  const planQuery = cachePlans((search) => {
    const parsed = { ...parseQuery(search), page: { size: 0 } }
    return planCollection(unbounded, parsed, { resource })
  })
  return async function* readEach(request, context) {
    const plan = planQuery(request.search)
    const build = compileObjects(plan, planner.model)
    const rows = await executeRead(plan, undefined, context, request)
    if (rows.is === 'complete') {
      for (const row of rows.primary) yield build(row)
      return
    }
    try {
      for await (const batch of rows.primary) for (const row of batch) yield build(row)
    } finally {
      rows.end()
    }
  }
}
