import type { Resource } from '../world.ts'

/** A member of some object in a document. */
export interface Member {
  readonly name: string
  readonly value: unknown
  /** Where it stands, as a JSON pointer without escapes. */
  readonly pointer: string
}

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Every member of every object in a JSON value, at any depth. */
export function* allMembers(value: unknown, at = ''): Generator<Member> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* allMembers(item, `${at}/${index}`)
  }
  if (!isObject(value)) return
  for (const [name, inner] of Object.entries(value)) {
    yield { name, value: inner, pointer: `${at}/${name}` }
    yield* allMembers(inner, `${at}/${name}`)
  }
}

/** The values of every member of one name, at any depth. */
export function membersNamed(value: unknown, name: string): unknown[] {
  return [...allMembers(value)].filter((member) => member.name === name).map(({ value }) => value)
}

/** Every object that stands where primary data or an included resource stands. */
export function primaryAndIncluded(document: unknown): Record<string, unknown>[] {
  if (!isObject(document)) return []
  return [document.data, document.included].flat().filter(isObject)
}

/** Every link of a document that can be fetched: those of the top level, of resources and of relationships. */
export function allLinks(document: unknown): string[] {
  return membersNamed(document, 'links')
    .filter(isObject)
    .flatMap((found) => Object.values(found))
    .filter((link) => typeof link === 'string')
}

/** Every identifier in a document's relationships, as `type/id`. */
export function linkedKeys(document: unknown): Set<string> {
  const linkage = primaryAndIncluded(document)
    .flatMap((resource) =>
      Object.values(isObject(resource.relationships) ? resource.relationships : {}),
    )
    .filter(isObject)
    .flatMap((relationship) => [relationship.data].flat())
  return new Set(linkage.filter(isObject).map(({ type, id }) => `${type}/${id}`))
}

/** Resources as `type/id`, in order. */
export function resourceKeys(resources: readonly Resource[] | undefined): string[] {
  return (resources ?? []).map(({ type, id }) => `${type}/${id}`)
}
