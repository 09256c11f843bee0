import { NotFoundError } from '../errors/errors.ts'
import type { RelationshipField, ResourceType } from '../model/model.ts'

/**
 * Reads the id of a path.
 *
 * @param parameter - what an error calls it: `id`, or `<type>_id` on the related route of a to-one (seed §7)
 * @returns the id in its one spelling
 * @throws NotFoundError (404) for a text that no resource can have as its id
 */
export function pathId(resource: ResourceType, text: string, parameter = 'id'): string {
  const id = readId(resource, text)
  if (id !== undefined) return id
  throw new NotFoundError(resource.type, text, parameter)
}

/** An id in its one spelling, which a kind may allow to be written in several; `undefined` for what no resource can have. */
export function readId({ id }: ResourceType, text: string): string | undefined {
  const reading = id.kind.readBody(text)
  return 'value' in reading ? String(reading.value) : undefined
}

/** What the id of a path to related resources is called in errors. */
export function parentParameter(resource: ResourceType, relationship: RelationshipField): string {
  return relationship.many ? 'id' : `${resource.type}_id`
}
