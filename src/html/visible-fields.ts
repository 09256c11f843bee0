import type { Field, ResourceType } from '../model/model.ts'

/**
 * Lists the fields of a resource type that an identity may know of: pages, forms and filters name no others.
 * @param _auth - the auth context of the request
 */
export function listVisibleFields({ fields }: ResourceType, _auth: unknown): readonly Field[] {
  return [...fields.values()]
}
