/** The name of the member of a plain object that has the cursor of the resource. No field has a dot in its name. */
export const cursorMember = 'meta.cursor'

/**
 * Returns the cursor of a resource of a list that was read with `page: { cursors: true }`: for `page.after` and `page.before` of lists of
 * its type with the same sort. `undefined` for any other object.
 */
export function cursorOf(resource: object): string | undefined {
  const cursor: unknown = Reflect.get(resource, cursorMember)
  return typeof cursor === 'string' ? cursor : undefined
}
