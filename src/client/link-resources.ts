import { cursorMember } from '../model/declare/cursor-of.ts'
import { versionMember } from '../model/declare/if-match.ts'
import {
  hasPart,
  markPart,
  nameFilteredMember,
  nameMoreMember,
} from '../model/declare/more-members.ts'
import { isObject } from '../model/kinds/json.ts'
import type { QueryInput } from '../parse/format-query.ts'
import type { LocationFinder } from './root-document.ts'
import type { ResponseDocument } from './transport.ts'

/** A resource as a plain object: `type`, `id`, and its fields. */
type LinkedResource = Record<string, unknown>

/**
 * Links the resources of a document: each is one object, however often the document refers to it, and relationships are the
 * related objects. So a resource may contain itself.
 *
 * @returns the objects of the primary data: a list, one, or null
 */
export function linkResources(document: ResponseDocument): unknown {
  const { data, included } = document
  const objects = new Map<string, LinkedResource>()
  const find = (identifier: unknown): unknown => {
    if (!isObject(identifier)) return identifier
    const { type, id } = identifier
    const key = JSON.stringify([type, id])
    const known = objects.get(key)
    if (known) return known
    const created = { type, id }
    objects.set(key, created)
    return created
  }
  const resolve = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(find) : find(value)
  for (const resource of [data, included].flat()) {
    const object = find(resource)
    if (!isObject(resource) || !isObject(object)) continue
    const { meta } = resource
    if (isObject(meta) && 'version' in meta) setMember(object, versionMember, meta.version)
    if (isObject(meta) && isObject(meta.page)) setMember(object, cursorMember, meta.page.cursor)
    const related = isObject(resource.relationships) ? resource.relationships : {}
    for (const [name, value] of Object.entries(resource.attributes ?? {}))
      setMember(object, name, value)
    for (const [name, relationship] of Object.entries(related)) {
      if (!isObject(relationship)) continue
      const numbers = isObject(relationship.meta) ? relationship.meta : {}
      const { page, filtered } = numbers
      if (isObject(page)) setMember(object, nameMoreMember(name), page.hasMore)
      if (filtered) setMember(object, nameFilteredMember(name), true)
      if ('count' in numbers) setMember(object, `${name}.count`, numbers.count)
      if (!('data' in relationship)) continue
      const members = resolve(relationship.data)
      if (hasPart(object, name)) markPart(Object(members))
      setMember(object, name, members)
    }
  }
  return resolve(data)
}

/** Sets a member of any name: an assignment to `__proto__` would change the prototype. */
function setMember(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  })
}

/**
 * Adds the relationships of the include paths to the fieldsets of their types: a response has no linkage for a relationship that a
 * fieldset leaves out, so its resources could not be linked.
 *
 * @param type - the type of the primary data
 * @see https://jsonapi.org/format/1.0/#fetching-sparse-fieldsets
 */
export async function addIncluded(
  query: QueryInput | undefined,
  type: string,
  find: LocationFinder,
): Promise<QueryInput | undefined> {
  if (!isObject(query?.fields) || !Array.isArray(query.include)) return query
  const fields = new Map(Object.entries(query.fields))
  for (const path of query.include) {
    let current: string | undefined = type
    for (const name of String(path).split('.')) {
      const names: unknown = fields.get(current)
      if (Array.isArray(names) && !names.includes(name)) fields.set(current, [...names, name])
      current = (await find(current)).relatedType(name)
      // The server rejects an unknown relationship, with its name.
      if (current === undefined) break
    }
  }
  return { ...query, fields: Object.fromEntries(fields) }
}
