import { NotFoundError } from '../errors/errors.ts'
import type { RelationshipField, ResourceType } from '../model/model.ts'

/** Ids that a URL path segment cannot hold: the empty one, and the dot segments (RFC 3986 §5.2.4). */
export const invalidSegments: readonly string[] = ['', '.', '..']

/**
 * Parses the id in a URL path.
 *
 * @param parameter - its name in `source.parameter` of an error (`nameIdParameter`)
 * @returns the id in canonical form
 * @throws NotFoundError (404) if no resource of the type can have this id
 */
export function parsePathId(resource: ResourceType, text: string, parameter = 'id'): string {
  const id = normalizeId(resource, text)
  if (id !== undefined) return id
  throw new NotFoundError(resource.type, text, parameter)
}

/**
 * The canonical form of the id of a stored resource: a kind may accept several spellings, e.g. of a UUID. `undefined` if the text is
 * invalid.
 */
export function normalizeId({ id: { kind } }: ResourceType, text: string): string | undefined {
  // A filter takes stored ids that no new resource can have.
  const result = kind.readFilterText(text)
  return 'value' in result ? String(result.value) : undefined
}

/** The name of the id in the path of related resources: `id`, or `<type>_id` for a to-one relationship. */
export function nameIdParameter(resource: ResourceType, relationship: RelationshipField): string {
  return relationship.many ? 'id' : `${resource.type}_id`
}
