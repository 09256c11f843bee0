import { NotFoundError } from '../errors/errors.ts'
import type { RelationshipField, ResourceType } from '../model/model.ts'

/**
 * Reads the id of a path.
 *
 * @param parameter - what an error calls it: `id`, or `<type>_id` on the related route of a to-one (seed §7)
 * @throws NotFoundError (404) for a text that no resource can have as its id
 */
export function pathId(resource: ResourceType, text: string, parameter = 'id'): string {
  if ('value' in resource.id.kind.readBody(text)) return text
  throw new NotFoundError(resource.type, text, parameter)
}

/** What the id of a path to related resources is called in errors. */
export function parentParameter(resource: ResourceType, relationship: RelationshipField): string {
  return relationship.many ? 'id' : `${resource.type}_id`
}
