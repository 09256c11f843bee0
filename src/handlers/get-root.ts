import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import { listRelationships } from '../model/model.ts'
import { listParameters } from '../model/parameter.ts'
import type { TableFunction } from '../model/table-function.ts'
import { parseQuery } from '../parse/query.ts'
import { checkNoParameters } from '../plan/read.ts'
import { listAllowedTypes } from './allowed-paths.ts'
import type { PlanRequest } from './request-plan.ts'

/**
 * `GET /`: the resource types that the identity may use, with their paths, and the related types of the relationships that exist for it.
 * A type whose list takes parameters has them, because its path alone may be no list.
 */
export function getRoot(): PlanRequest {
  const listTypes = memoizeByIdentity(listAllowedTypes)
  return ({ search, auth }, { findRights, prefix, rootMeta, serializer }) => {
    checkNoParameters(parseQuery(search))
    const types = listTypes(findRights(auth))
    const resources = types.map(({ type, path, description, fields, table: { call } }) => [
      type,
      {
        path: prefix + path,
        ...(description !== undefined && { description }),
        ...(call && { parameters: describeParameters(call) }),
        relationships: Object.fromEntries(
          listRelationships({ fields }).map(({ name, to }) => [name, to]),
        ),
      },
    ])
    const meta = { ...rootMeta, resources: Object.fromEntries(resources) }
    return { is: 'document', body: serializer.serializeRoot(meta, `${prefix}/`) }
  }
}

/** The parameters of a list, by name: their kinds, and whether a request has to send them in `filter`. */
function describeParameters({ parameters }: TableFunction): object {
  const entries = listParameters(parameters).map(([name, { kind, isRequired }]) => [
    name,
    { kind: kind.name, required: isRequired },
  ])
  return Object.fromEntries(entries)
}
