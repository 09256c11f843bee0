import {
  getResourceType,
  listRelationships,
  type Model,
  type RelationshipField,
  type ResourceType,
} from '../model/model.ts'
import type { NamedAction } from '../plan/action.ts'

/** An HTTP method with a handler. The server derives HEAD from GET, and answers OPTIONS and 405 from the table. */
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/**
 * What a path addresses: the root, the resources of a type, one resource, its related resources, their linkage, or an action.
 */
export type RouteTarget =
  | Readonly<{ is: 'root' }>
  | Readonly<{ is: 'collection' | 'resource'; resource: ResourceType }>
  | Readonly<{
      is: 'related' | 'relationship'
      resource: ResourceType
      relationship: RelationshipField
    }>
  | Readonly<{ is: 'action'; resource: ResourceType; action: NamedAction }>

/** A path and its methods; `:id` is the only parameter of a path. */
export interface ModelPath {
  readonly path: string
  readonly target: RouteTarget
  readonly methods: readonly Method[]
  /** The methods that the path does not have because the resource is read-only. */
  readonly readOnlyMethods: readonly Method[]
}

/** Lists every path of a service, without the prefix. */
export function listPaths(model: Model): ModelPath[] {
  return [
    { path: '/', target: { is: 'root' }, methods: ['GET'], readOnlyMethods: [] },
    ...[...model.types.values()].flatMap((resource) => listResourcePaths(resource, model)),
  ]
}

function listResourcePaths(resource: ResourceType, model: Model): ModelPath[] {
  const { path, isWritable } = resource
  return [
    definePath(path, { is: 'collection', resource }, isWritable, ['POST']),
    definePath(`${path}/:id`, { is: 'resource', resource }, isWritable, ['PATCH', 'DELETE']),
    ...listRelationships(resource).flatMap((field) =>
      listRelationshipPaths(resource, field, model),
    ),
    ...[...resource.actions].map(([name, action]) => defineActionPath(resource, { name, action })),
  ]
}

function defineActionPath(resource: ResourceType, action: NamedAction): ModelPath {
  const base = action.action.on === 'resource' ? `${resource.path}/:id` : resource.path
  return {
    path: `${base}/actions/${action.name}`,
    target: { is: 'action', resource, action },
    methods: ['POST'],
    readOnlyMethods: [],
  }
}

function listRelationshipPaths(
  resource: ResourceType,
  relationship: RelationshipField,
  model: Model,
): ModelPath[] {
  const { name, many, to } = relationship
  const isWritable = relationship.isWritable && !relationship.isImmutable
  const path = `${resource.path}/:id`
  const canCreate = isWritable && getResourceType(model, to).isWritable
  return [
    definePath(
      `${path}/${name}`,
      { is: 'related', resource, relationship },
      canCreate,
      many ? ['POST'] : [],
    ),
    definePath(
      `${path}/relationships/${name}`,
      { is: 'relationship', resource, relationship },
      isWritable,
      ['PATCH', 'POST', 'DELETE'],
    ),
  ]
}

function definePath(
  path: string,
  target: RouteTarget,
  isWritable: boolean,
  writes: readonly Method[],
): ModelPath {
  return isWritable
    ? { path, target, methods: ['GET', ...writes], readOnlyMethods: [] }
    : { path, target, methods: ['GET'], readOnlyMethods: writes }
}
