import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import type { Model } from '../model/model.ts'
import type { Rights } from '../plan/access/rights.ts'
import { describeType, type TypeDescription } from './describe-type.ts'
import { listNeededRules } from './needed-rules.ts'
import { listPaths, type ModelPath } from './paths.ts'

/** What an API has, and what an identity may do with it, as far as that does not depend on rows. */
export interface ModelDescription {
  /** The paths with the methods that no rule refuses whatever the rows are; a path without any is omitted. */
  readonly paths: readonly ModelPath[]
  /** All types, by name: also those of which the identity may only see identifiers, or nothing. */
  readonly types: ReadonlyMap<string, TypeDescription>
  readonly jsonapi: Model['jsonapi']
  readonly profiles?: Model['profiles']
  readonly errorTypes?: Model['errorTypes']
  /** The number of resources on a page without `page[size]`. */
  readonly pageSize: number
  /** The largest `page[size]`; `undefined` for no maximum. */
  readonly maxPageSize: number | undefined
  /** What several writes in one request may do; absent if there are none. */
  readonly atomic?: Model['atomic']
}

/**
 * Describes a model as data: what exists for an identity, and what it may do. The OpenAPI document, the pages, the root document and
 * the lists of rights render it, so that each says the same. It is made once for each rights; `createFullRights` has all rights.
 */
export const describeModel = memoizeByIdentity((rights: Rights): ModelDescription => {
  const { model } = rights
  const paths = listAllowedPaths(rights)
  const used = new Set(
    paths.flatMap(({ target }) => (target.is === 'root' ? [] : [target.resource.type])),
  )
  const types = [...model.types].map(([type, resource]) => {
    const isReadable = rights.findRule(type, 'read') !== false
    return [type, describeType(resource, model, { isUsable: used.has(type), isReadable })] as const
  })
  const { jsonapi, profiles, errorTypes, pageSize, maxPageSize, atomic } = model
  const described = { paths, types: new Map(types), jsonapi, pageSize, maxPageSize }
  return {
    ...described,
    ...(atomic && { atomic }),
    ...(profiles && { profiles }),
    ...(errorTypes !== undefined && { errorTypes }),
  }
})

function listAllowedPaths(rights: Rights): readonly ModelPath[] {
  return listPaths(rights.model).flatMap((path) => {
    const methods = path.methods.filter((method) => {
      const rules = listNeededRules(path.target, method, rights)
      return rules?.every(({ type, operation }) => rights.findRule(type, operation) !== false)
    })
    return methods.length === 0 ? [] : [{ ...path, methods }]
  })
}

/** Returns the description of a type by its name. @throws Error if there is none */
export function getTypeDescription({ types }: ModelDescription, type: string): TypeDescription {
  const found = types.get(type)
  if (found === undefined) throw new Error(`The description has no resource type ${type}.`)
  return found
}

/** Returns a part of a type by its name, e.g. a relationship. For names that come from the model. @throws Error if there is none */
export function getNamed<Part extends Readonly<{ name: string }>>(
  parts: readonly Part[],
  name: string,
): Part {
  const found = parts.find((part) => part.name === name)
  if (found === undefined) throw new Error(`The description has nothing with the name ${name}.`)
  return found
}

/** Lists the types of which the identity may use an address, in the order of the model. */
export function listUsableTypes({ types }: ModelDescription): TypeDescription[] {
  return [...types.values()].filter(({ isUsable }) => isUsable)
}

/** Lists the types of which the identity may read resources, in the order of the model. */
export function listReadableTypes({ types }: ModelDescription): TypeDescription[] {
  return [...types.values()].filter(({ isReadable }) => isReadable)
}
