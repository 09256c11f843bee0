import { isObject } from '../model/json.ts'
import type { ResourceType } from '../model/model.ts'
import type { RequestBody } from '../parse/body.ts'

/** The fields of a resource by name, as a client in process passes them. */
export type FieldInput = Readonly<Record<string, unknown>>

/**
 * Formats the fields of a create or an update as a JSON:API document. Names that are not declared become attributes, so that
 * planning rejects them with their names. A field that is `undefined` is left out.
 *
 * @param id - the id of the resource to update; `undefined` for a create, whose id is among the fields
 */
export function formatResource(
  { type, fields }: ResourceType,
  input: FieldInput,
  id?: string,
): RequestBody {
  const attributes: Record<string, unknown> = {}
  const relationships: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined || name === 'id' || name === 'type') continue
    const field = fields.get(name)
    if (field?.is === 'relationship') relationships[name] = { data: formatLinkage(value, field.to) }
    else attributes[name] = value
  }
  return {
    data: { type: input.type ?? type, id: id ?? input.id, attributes, relationships },
  }
}

/**
 * Formats related resources as linkage. Each is an id, or an object with `type` and `id`, such as a resource that was read.
 * @param to - the related type
 */
export function formatLinkage(value: unknown, to: string): unknown {
  if (Array.isArray(value)) return value.map((each) => formatLinkage(each, to))
  if (typeof value === 'string') return { type: to, id: value }
  return isObject(value) ? { type: value.type ?? to, id: value.id } : value
}
