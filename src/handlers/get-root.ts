import { parseQuery } from '../parse/query.ts'
import { memoizeByIdentity } from '../plan/cache/memoize-by-identity.ts'
import { checkNoParameters } from '../plan/read.ts'
import { listAllowedTypes } from './allowed-paths.ts'
import type { Handler } from './handler.ts'

/**
 * `GET /`: the resource types that the identity may use, with their paths, and the related types of the relationships that exist for it.
 */
export function getRoot(): Handler {
  const listTypes = memoizeByIdentity(listAllowedTypes)
  return async ({ search, auth }, { findRights, prefix, rootMeta, serializer }) => {
    checkNoParameters(parseQuery(search))
    const types = listTypes(findRights(auth))
    const resources = types.map(({ type, path, description, fields }) => [
      type,
      {
        path: prefix + path,
        ...(description !== undefined && { description }),
        relationships: Object.fromEntries(
          [...fields.values()].flatMap((field) =>
            field.is === 'relationship' ? [[field.name, field.to]] : [],
          ),
        ),
      },
    ])
    const meta = { ...rootMeta, resources: Object.fromEntries(resources) }
    return { status: 200, body: serializer.serializeRoot(meta, `${prefix}/`) }
  }
}
