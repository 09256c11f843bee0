import { getTypeDescription } from '../describe/describe-model.ts'
import type { TypeDescription } from '../describe/describe-type.ts'
import type { Method } from '../describe/paths.ts'
import type { AddressRights } from '../endpoints/address-rights.ts'
import type { DeletedRows } from '../endpoints/read-deletion.ts'
import type { RoutedRequest } from '../http/html.ts'
import { getResourceType } from '../model/model.ts'
import type { CountedRequest } from './count-resources.ts'
import {
  listData,
  type ShownDocument,
  type ShownIdentifier,
  type ShownResource,
} from './document.ts'
import type { PageUrl } from './page-url.ts'

/** What the parts of every page know. */
export interface BaseContext {
  readonly request: CountedRequest
  readonly url: PageUrl
  readonly document: ShownDocument
}

/** What the parts of a page know, unless it shows an error. */
export interface PageContext extends BaseContext {
  readonly routed: RoutedRequest
  readonly rights: AddressRights
  readonly resources: ResourceIndex
  /** What the deletion of the resource takes with it; absent for nothing, and where it is not known. */
  readonly deletion?: DeletedRows | 'many' | undefined
}

/** Returns a type by its name. For names that come from the model. @throws Error if there is none */
export function getType({ rights }: PageContext, name: string): TypeDescription {
  return getTypeDescription(rights.described, name)
}

/** Returns the type of a resource object, or `undefined` if the model has none of this name. */
export function findType({ rights }: PageContext, name: string): TypeDescription | undefined {
  return rights.described.types.get(name)
}

/** Returns the path of a collection. */
export function toCollectionPath({ request }: PageContext, { path }: TypeDescription): string {
  return request.prefix + path
}

/** Returns the path of a resource, or `undefined` if its type is unknown. */
export function toResourcePath(
  context: PageContext,
  { type, id }: ShownIdentifier,
): string | undefined {
  const found = findType(context, type)
  return found && `${toCollectionPath(context, found)}/${encodeURIComponent(id)}`
}

/** True if the route of the page has a handler for a method, and the identity may use it there. */
export function isAllowed({ routed: { route }, rights }: PageContext, method: Method): boolean {
  const { target, methods } = route
  return target !== undefined && Object.hasOwn(methods, method) && rights.isAllowed(method)
}

/**
 * The attribute of a form or a button whose write needs an idempotency key, which the script makes: however often it is sent, it is
 * written once.
 * @param type - that of the resource that is written
 */
export function requireKey(
  { routed }: PageContext,
  type: string,
  action?: string,
): Readonly<{ 'data-key'?: '' }> {
  const { requiresIdempotencyKey, actions } = getResourceType(routed.context.planner.model, type)
  const own = action === undefined ? undefined : actions.get(action)?.idempotency
  return (own === undefined ? requiresIdempotencyKey : own === 'required') ? { 'data-key': '' } : {}
}

/** The names of attributes that say what a resource is, the best one first. */
const labelNames = ['display_name', 'displayName', 'name', 'title', 'label', 'subject', 'serial']

/** Returns a text that says which resource it is: the value of an attribute like `name`, or `undefined`. */
export function findLabel({ attributes = {} }: ShownResource): string | undefined {
  const found = labelNames.find((name) => typeof attributes[name] === 'string')
  const text = found === undefined ? undefined : attributes[found]
  if (typeof text !== 'string' || text.trim() === '') return undefined
  return text.length > 80 ? `${text.slice(0, 80).toWellFormed()}…` : text
}

/** The resources of a document by type and id. */
type ResourceIndex = ReadonlyMap<string, ReadonlyMap<string, ShownResource>>

/** Returns the resource of an identifier if the document has it, or the identifier itself. */
export function findIncluded(
  { resources }: PageContext,
  { type, id }: ShownIdentifier,
): ShownResource {
  return resources.get(type)?.get(id) ?? { type, id }
}

/** Creates the index of a document. */
export function createResourceIndex(document: ShownDocument): ResourceIndex {
  const byType = Map.groupBy(
    [...listData(document), ...(document.included ?? [])],
    ({ type }) => type,
  )
  return new Map(
    [...byType].map(([type, resources]) => [
      type,
      new Map(resources.map((each) => [each.id, each])),
    ]),
  )
}
