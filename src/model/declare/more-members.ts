// A resource as a plain object says in a member of its own that a relationship has more members than the page that it lists. No field has a
// dot in its name.

/** The name of the member that says whether a relationship has more members than a resource lists. */
export function nameMoreMember(relationship: string): string {
  return `${relationship}.hasMore`
}

/**
 * Whether a relationship has more members than the page that a resource lists (`includePage`).
 * @returns `undefined` if the members that the resource lists are no page
 */
export function hasMore(resource: object, relationship: string): boolean | undefined {
  const value: unknown = Reflect.get(resource, nameMoreMember(relationship))
  return typeof value === 'boolean' ? value : undefined
}

/** The member of a list that has a part of the related resources. */
const partMark = Symbol('part')

/** Remembers that a list has a part of the related resources, which must not replace all of them. */
export function markPart(related: object): void {
  // What is not enumerable leaves no trace in what programs compare, copy and print.
  Object.defineProperty(related, partMark, { value: true })
}

/** Says of linkage that is a part of the members what the server says of it: a member `meta`. Nothing of any other value. */
export function describePart(
  related: unknown,
  isPage = false,
): { meta?: { page: { hasMore: true } } } {
  const isPart = isPage || (typeof related === 'object' && related !== null && partMark in related)
  return isPart ? { meta: { page: { hasMore: true } } } : {}
}
