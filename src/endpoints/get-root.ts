import { describeModel, listUsableTypes } from '../describe/describe-model.ts'
import type { TypeDescription } from '../describe/describe-type.ts'
import { parseQuery } from '../parse/query.ts'
import { checkNoParameters } from '../plan/read.ts'
import type { RequestPlanner } from './request-plan.ts'

/**
 * `GET /`: the resource types that the identity may use, with their paths, and the related types of the relationships that exist for it.
 * A type whose list takes parameters has them, because its path alone may be no list.
 */
export function getRoot(): RequestPlanner {
  return ({ search, auth, describedBy }, { findRights, prefix, rootMeta, serializer }) => {
    checkNoParameters(parseQuery(search))
    const types = listUsableTypes(describeModel(findRights(auth)))
    const resources = Object.fromEntries(types.map((type) => [type.type, listEntry(type, prefix)]))
    const links = {
      self: `${prefix}/`,
      ...(describedBy !== undefined && { describedby: describedBy }),
    }
    const body = serializer.serializeRoot({ ...rootMeta, resources }, links)
    return { is: 'document', body }
  }
}

function listEntry(
  { path, description, parameters, relationships }: TypeDescription,
  prefix: string,
): object {
  const declared = parameters.map(({ name, kind, isRequired }) => {
    return [name, { kind: kind.name, required: isRequired }] as const
  })
  return {
    path: prefix + path,
    ...(description !== undefined && { description }),
    ...(declared.length > 0 && { parameters: Object.fromEntries(declared) }),
    relationships: Object.fromEntries(relationships.map(({ name, to }) => [name, to])),
  }
}
