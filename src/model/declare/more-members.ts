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
