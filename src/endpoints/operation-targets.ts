import type { Method, RouteTarget } from '../describe/paths.ts'
import { ApiError, BodyError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { suggest } from '../errors/suggestion.ts'
import { isObject } from '../model/kinds/json.ts'
import { listRelationships, type Model } from '../model/model.ts'
import type { ParsedOperation, ParsedReference } from '../parse/operations.ts'
import type { FindPath } from './paths.ts'
import type { RequestPlanner } from './request-plan.ts'
import { createReadOnlyError, type Endpoint } from './route-table.ts'

/** The endpoint that an operation calls: that of a request of its own. */
export interface OperationTarget {
  readonly target: RouteTarget
  readonly plan: RequestPlanner
  /** The id in the path, as sent; empty for a path without one. */
  readonly id: string
  /** The resource that the operation names by its local id; absent for an id. */
  readonly local?: Readonly<{ type: string; lid: string; pointer: string }>
}

/** The endpoints of an API by what they are about, and by their paths. */
export interface EndpointIndex {
  readonly byType: ReadonlyMap<string, TypeEndpoints>
  readonly byPath: ReadonlyMap<string, Endpoint>
}

/** The endpoints of a type that operations name without an address. */
interface TypeEndpoints {
  collection?: Endpoint
  resource?: Endpoint
  readonly relationships: Map<string, Endpoint>
}

/** Indexes the endpoints of an API: large models have thousands. */
export function indexEndpoints(endpoints: readonly Endpoint[]): EndpointIndex {
  const byType = new Map<string, TypeEndpoints>()
  for (const endpoint of endpoints) {
    const { target } = endpoint
    if (target.is === 'root') continue
    const { type } = target.resource
    const ofType: TypeEndpoints = byType.get(type) ?? { relationships: new Map() }
    byType.set(type, ofType)
    if (target.is === 'relationship') ofType.relationships.set(target.relationship.name, endpoint)
    else if (target.is === 'collection' || target.is === 'resource') ofType[target.is] = endpoint
  }
  return { byType, byPath: new Map(endpoints.map((endpoint) => [endpoint.path, endpoint])) }
}

/** What operations are resolved with. */
export interface TargetContext {
  readonly endpoints: EndpointIndex
  readonly model: Model
  /** Scheme and host of the request. */
  readonly origin: string
  /** The beginning of every path. */
  readonly prefix: string
  readonly findPath: FindPath | undefined
  /** Whether operations may call actions. */
  readonly allowsActions: boolean
}

/** The methods of the operations on what has an address. */
const methods: Readonly<
  Record<ParsedOperation['op'], Readonly<Partial<Record<RouteTarget['is'], Method>>>>
> = {
  add: { collection: 'POST', related: 'POST', relationship: 'POST' },
  update: { resource: 'PATCH', relationship: 'PATCH', action: 'POST' },
  remove: { resource: 'DELETE', relationship: 'DELETE' },
}

/**
 * Finds the endpoint of an operation, in the table of the routes: an operation may do what a request of its own may do.
 * @throws ApiError whose pointer is one from the operation
 */
export function findOperationTarget(
  operation: ParsedOperation,
  context: TargetContext,
): OperationTarget {
  const { op, target } = operation
  const pointer = `/${target.is}`
  const found = findEndpoint(operation, context)
  const { endpoint } = found
  const method = methods[op][endpoint.target.is]
  const isAction = endpoint.target.is === 'action'
  if (method === undefined || (target.is === 'data' && op === 'remove'))
    throw invalid(target.is === 'data' ? '' : pointer, describeMismatch(op, endpoint.target))
  if (isAction && !context.allowsActions)
    throw invalid(pointer, 'This API calls actions only by requests of their own.')
  const plan = endpoint.planners[method]
  if (plan !== undefined) return { ...found, target: endpoint.target, plan }
  if (endpoint.readOnlyMethods.includes(method)) throw createReadOnlyError(endpoint, method)
  throw invalid(pointer, describeMismatch(op, endpoint.target))
}

/** The endpoint of an operation, and the id in its path. */
type FoundEndpoint = Pick<OperationTarget, 'id' | 'local'> & Readonly<{ endpoint: Endpoint }>

function findEndpoint(operation: ParsedOperation, context: TargetContext): FoundEndpoint {
  const { op, target, data } = operation
  switch (target.is) {
    case 'href':
      return findByHref(target.href, context)
    case 'ref':
      if (op === 'add' && target.ref.relationship === undefined)
        throw invalid(
          '/ref',
          'An add creates the resource of its data, so it has a ref only with "relationship"; remove the ref, or write op "update".',
        )
      return findByReference(target.ref, '/ref', context)
    case 'data':
      return op === 'add' ? findCollection(data, context) : findByData(op, data, context)
  }
}

/** Finds a type. @throws BodyError `route_not_found` (404) */
function checkType(type: string, pointer: string, { model }: TargetContext): void {
  if (model.types.has(type)) return
  const known = suggest(type, [...model.types.keys()], 'types')
  const detail = `There is no resource type ${quote(type)}; ${known}`
  throw new BodyError('route_not_found', pointer, detail)
}

function findCollection(data: unknown, context: TargetContext): FoundEndpoint {
  const type = readType(data)
  checkType(type, '/data/type', context)
  return { endpoint: getEndpoint('collection', type, context), id: '' }
}

function findByData(
  op: ParsedOperation['op'],
  data: unknown,
  context: TargetContext,
): FoundEndpoint {
  if (op === 'remove') throw invalid('', 'A remove must have the member "ref" or "href".')
  const type = readType(data)
  const { id, lid } = isObject(data) ? data : {}
  const ref = {
    type,
    id: typeof id === 'string' ? id : undefined,
    lid: typeof lid === 'string' && id === undefined ? lid : undefined,
    relationship: undefined,
  }
  if (ref.id === undefined && ref.lid === undefined)
    throw invalid(
      '/data',
      'An update without "ref" and "href" must have data with "id", or with "lid" for a resource of this request.',
    )
  return findByReference(ref, '/data', context)
}

function readType(data: unknown): string {
  if (!isObject(data))
    throw invalid(
      '/data',
      'An operation without "ref" and "href" must have a resource object as data.',
    )
  if (typeof data.type === 'string') return data.type
  throw invalid('/data/type', 'data must have the member "type", a string.')
}

function findByReference(
  { type, id = '', lid, relationship }: ParsedReference,
  pointer: string,
  context: TargetContext,
): FoundEndpoint {
  checkType(type, `${pointer}/type`, context)
  const local = lid === undefined ? {} : { local: { type, lid, pointer } }
  if (relationship === undefined)
    return { endpoint: getEndpoint('resource', type, context), id, ...local }
  const endpoint = context.endpoints.byType.get(type)?.relationships.get(relationship)
  if (endpoint) return { endpoint, id, ...local }
  const resource = context.model.types.get(type)
  const names = resource ? listRelationships(resource).map(({ name }) => name) : []
  const detail = `${type} has no relationship ${quote(relationship)}; ${suggest(relationship, names, 'relationships')}`
  throw new BodyError('route_not_found', `${pointer}/relationship`, detail)
}

function getEndpoint(
  is: 'collection' | 'resource',
  type: string,
  { endpoints }: TargetContext,
): Endpoint {
  const found = endpoints.byType.get(type)?.[is]
  if (found === undefined) throw new Error(`The type ${type} has no path.`)
  return found
}

/** Resolves an address against that of the request. Another host or another path does not exist. */
function findByHref(href: string, context: TargetContext): FoundEndpoint {
  const { origin, prefix, findPath, endpoints } = context
  const base = `${origin || 'http://localhost'}${prefix}/operations`
  const url = URL.canParse(href, base) ? new URL(href, base) : undefined
  if (url === undefined) throw invalid('/href', `href must be a URL; it is ${quote(href)}.`)
  if (url.search !== '' || url.hash !== '')
    throw invalid('/href', `href must have no query and no fragment; it is ${quote(href)}.`)
  const path = url.origin === new URL(base).origin ? find(url.pathname, findPath) : undefined
  const endpoint = path && endpoints.byPath.get(path.path)
  if (path && endpoint) return { endpoint, id: path.id }
  const detail = `There is no route ${quote(href)}; the root document lists the resources and their paths.`
  throw new BodyError('route_not_found', '/href', detail)
}

/** @throws BodyError for a path whose percent-encoding is not valid */
function find(pathname: string, findPath: FindPath | undefined): ReturnType<FindPath> {
  try {
    return findPath?.(pathname)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { code, status, title, message } = error
    throw new BodyError({ code, status, title }, '/href', message)
  }
}

function describeMismatch(op: ParsedOperation['op'], target: RouteTarget): string {
  const remedies = {
    add: 'An add leads to a collection, related resources or a relationship',
    update: 'An update leads to a resource, a relationship or an action',
    remove: 'A remove leads to a resource or a relationship',
  } as const
  const found = target.is === 'related' ? 'related resources' : target.is
  return `${remedies[op]}; this is the address of: ${found}.`
}

function invalid(pointer: string, detail: string): ApiError {
  return new BodyError('invalid_operation', pointer, detail)
}
