import type { Model, RelationshipField, ResourceType } from '../model/model.ts'
import type { Documents, DocumentText } from '../serialize/document.ts'
import { idStep } from '../serialize/links.ts'
import type { Store } from '../store/store.ts'

/** Everything an endpoint works with: made once, at start. */
export interface House {
  readonly model: Model
  readonly store: Store
  readonly documents: Documents
  /** In front of every path, e.g. `/api`; may be empty. */
  readonly base: string
  /** What the root document says of the service. */
  readonly about: Readonly<Record<string, unknown>>
}

/** One request, as much of it as endpoints need. */
export interface Call {
  /** The id in the path, as sent; empty where the path has none. */
  readonly id: string
  /** Who asks, as the server's `identify` has it; `undefined` without one. */
  readonly caller: unknown
  /** What follows the `?`, as sent. */
  readonly search: string
  readonly body: Uint8Array
  /** Scheme and host of absolute links. */
  readonly origin: string
  /** Aborts when the client disconnects before it has its answer; made when it is first called. */
  readonly signal: () => AbortSignal
}

/** What is sent back. */
export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: DocumentText
}

/** The whole story of one endpoint: plan, run, tell. */
export type Endpoint = (call: Call, house: House) => Promise<Answer>

/** The path of a resource. */
export function resourcePath(base: string, resource: ResourceType, id: string): string {
  return `${base}${resource.path}/${idStep(resource)(id)}`
}

/** The path of what a relationship leads to. */
export function relatedPath(
  base: string,
  resource: ResourceType,
  id: string,
  { name }: RelationshipField,
): string {
  return `${resourcePath(base, resource, id)}/${encodeURIComponent(name)}`
}

/** The path of a relationship itself. */
export function relationshipPath(
  base: string,
  resource: ResourceType,
  id: string,
  { name }: RelationshipField,
): string {
  return `${resourcePath(base, resource, id)}/relationships/${encodeURIComponent(name)}`
}
