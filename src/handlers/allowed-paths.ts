import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import type { ResourceType } from '../model/model.ts'
import type { Rights } from '../plan/access/rights.ts'
import { listNeededRules } from './list-access.ts'
import { listPaths, type ModelPath } from './model-paths.ts'

/**
 * Lists the paths of a model with the methods that an identity may use: those that the rules do not refuse whatever the rows are. A path
 * without any is omitted. They are listed once for each rights.
 */
export const listAllowedPaths = memoizeByIdentity((rights: Rights): readonly ModelPath[] =>
  listPaths(rights.model).flatMap((path) => {
    const methods = path.methods.filter((method) => {
      const rules = listNeededRules(path.target, method, rights)
      return rules?.every(({ type, operation }) => rights.findRule(type, operation) !== false)
    })
    return methods.length === 0 ? [] : [{ ...path, methods }]
  }),
)

/** Lists the types that have a path with a method which an identity may use, in the order of the model. */
export function listAllowedTypes(rights: Rights): ResourceType[] {
  const types = new Set(
    listAllowedPaths(rights).flatMap(({ target }) =>
      target.is === 'root' ? [] : [target.resource.type],
    ),
  )
  return [...rights.model.types.values()].filter(({ type }) => types.has(type))
}
