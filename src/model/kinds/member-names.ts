/** See https://jsonapi.org/format/1.0/#document-member-names */
const memberName =
  /^[a-zA-Z0-9\u0080-\uffff]([a-zA-Z0-9\u0080-\uffff _-]*[a-zA-Z0-9\u0080-\uffff])?$/

/** True if JSON:API 1.0 allows the text as a member name. */
export function isMemberName(name: string): boolean {
  return memberName.test(name)
}

const reservedNames: readonly string[] = ['relationships', 'links']

/**
 * True if JSON:API 1.0 reserves the name: no attribute can have it, and no object within an attribute can contain it.
 * @see https://jsonapi.org/format/1.0/#document-resource-object-attributes
 */
export function isReservedName(name: string): boolean {
  return reservedNames.includes(name)
}
