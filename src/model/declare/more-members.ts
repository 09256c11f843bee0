// A resource as a plain object says in members of its own that a relationship lists a part of its members. No field has a dot in its name.
// They are enumerable, so that copies have them too: by JSON, `structuredClone`, a spread, or the structural sharing of TanStack Query. A
// copy without them would replace all members by those that were read.

/** The name of the member that says whether a relationship has more members than the page that a resource lists. */
export function nameMoreMember(relationship: string): string {
  return `${relationship}.hasMore`
}

/** The name of the member that says that a filter excludes members of a relationship. */
export function nameFilteredMember(relationship: string): string {
  return `${relationship}.filtered`
}

/** The relationship that a member of these names is about; `undefined` for any other name. */
export function findPartOwner(name: string): string | undefined {
  return /^(.*)\.(hasMore|filtered)$/s.exec(name)?.[1]
}

/** Whether a plain object says that it has a part of a relationship. */
export function hasPart(input: Readonly<Record<string, unknown>>, relationship: string): boolean {
  return Boolean(input[nameMoreMember(relationship)] || input[nameFilteredMember(relationship)])
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
