import { isObject } from '../model/json.ts'
import type { QueryInput } from '../parse/format-query.ts'
import type { LocationFinder } from './root-document.ts'

/**
 * Adds the relationships of the include paths to the fieldsets of their types: a response has no linkage for a relationship that a
 * fieldset leaves out, so its resources could not be linked.
 *
 * @param type - the type of the primary data
 * @see https://jsonapi.org/format/1.0/#fetching-sparse-fieldsets
 */
export async function addIncluded(
  query: QueryInput | undefined,
  type: string,
  find: LocationFinder,
): Promise<QueryInput | undefined> {
  if (!isObject(query?.fields) || !Array.isArray(query.include)) return query
  const fields = new Map(Object.entries(query.fields))
  for (const path of query.include) {
    let current: string | undefined = type
    for (const name of String(path).split('.')) {
      const names: unknown = fields.get(current)
      if (Array.isArray(names) && !names.includes(name)) fields.set(current, [...names, name])
      current = (await find(current)).relatedType(name)
      // The server rejects an unknown relationship, with its name.
      if (current === undefined) break
    }
  }
  return { ...query, fields: Object.fromEntries(fields) }
}
