import type { Resource } from '../service-suite.ts'

/** A member of an object in a document. */
interface Member {
  readonly name: string
  readonly value: unknown
  /** The JSON pointer, without escapes. */
  readonly pointer: string
}

/** True if a JSON value is an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Lists every member of every object in a JSON value, at any depth. */
export function* allMembers(value: unknown, pointer = ''): Generator<Member> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* allMembers(item, `${pointer}/${index}`)
  }
  if (!isObject(value)) return
  for (const [name, inner] of Object.entries(value)) {
    yield { name, value: inner, pointer: `${pointer}/${name}` }
    yield* allMembers(inner, `${pointer}/${name}`)
  }
}

/** Returns the values of all members with a name, at any depth. */
export function membersNamed(value: unknown, name: string): unknown[] {
  return [...allMembers(value)].filter((member) => member.name === name).map(({ value }) => value)
}

/** Returns the objects of the primary data and of `included`. */
export function primaryAndIncluded(document: unknown): Record<string, unknown>[] {
  if (!isObject(document)) return []
  return [document.data, document.included].flat().filter(isObject)
}

/** Returns every link of a document: top-level links and those of resources and relationships. */
export function allLinks(document: unknown): string[] {
  return membersNamed(document, 'links')
    .filter(isObject)
    .flatMap((found) => Object.values(found))
    .filter((link) => typeof link === 'string')
}

/** Returns the identifiers in all relationships of a document, as `type/id`. */
export function linkedKeys(document: unknown): Set<string> {
  const linkage = primaryAndIncluded(document)
    .flatMap((resource) =>
      Object.values(isObject(resource.relationships) ? resource.relationships : {}),
    )
    .filter(isObject)
    .flatMap((relationship) => [relationship.data].flat())
  return new Set(linkage.filter(isObject).map(({ type, id }) => `${type}/${id}`))
}

/** Returns the identifiers of resources as `type/id`, in order. */
export function resourceKeys(resources: readonly Resource[] | undefined): string[] {
  return (resources ?? []).map(({ type, id }) => `${type}/${id}`)
}
