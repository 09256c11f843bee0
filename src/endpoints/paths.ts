import type { RelationshipField, ResourceType } from '../model/model.ts'
import { encodeId } from '../serialize/links.ts'

/** A path of the API, and the id in it; empty for a path without an id. */
interface FoundPath {
  /** As in the table of routes, e.g. `/persons/:id`. */
  readonly path: string
  readonly id: string
}

/** Finds the path that a request target leads to, with the prefix; `undefined` if there is none. */
export type FindPath = (target: string) => FoundPath | undefined

/** Returns the path of a resource, e.g. `/persons/1`. */
export function formatResourcePath(prefix: string, resource: ResourceType, id: string): string {
  return `${prefix}${resource.path}/${encodeId(resource, id)}`
}

/** Returns the path of the related resources of a relationship, e.g. `/persons/1/computers`. */
export function formatRelatedPath(
  prefix: string,
  resource: ResourceType,
  id: string,
  { name }: RelationshipField,
): string {
  return `${formatResourcePath(prefix, resource, id)}/${encodeURIComponent(name)}`
}

/** Returns the path of an action, e.g. `/issues/1/actions/close`. */
export function formatActionPath(
  prefix: string,
  {
    resource,
    name,
    id,
  }: Readonly<{ resource: ResourceType; name: string; id: string | undefined }>,
): string {
  const base = id === undefined ? prefix + resource.path : formatResourcePath(prefix, resource, id)
  return `${base}/actions/${encodeURIComponent(name)}`
}

/** Returns the path of a relationship itself, e.g. `/persons/1/relationships/computers`. */
export function formatRelationshipPath(
  prefix: string,
  resource: ResourceType,
  id: string,
  { name }: RelationshipField,
): string {
  return `${formatResourcePath(prefix, resource, id)}/relationships/${encodeURIComponent(name)}`
}
