import {
  getRelationship,
  getResourceType,
  isSameKey,
  type RelationshipField,
  type ResourceType,
} from '../../model/model.ts'
import { primaryRowSet, startsAtLinkage } from '../../plan/include.ts'
import type { ReadShape } from '../../plan/read.ts'
import type { Target } from '../tables.ts'

/** Lists the row sets that precede that of an include edge and may contain the same rows: include edges, and `primaryRowSet`. */
export function earlierRowSets(
  { includeEdges, type }: ReadShape,
  index: number,
): readonly number[] {
  const to = includeEdges[index]?.to
  const earlier = includeEdges.slice(0, index).flatMap((other, at) => (other.to === to ? [at] : []))
  return to === type && !includeEdges.some(startsAtLinkage) ? [primaryRowSet, ...earlier] : earlier
}

/**
 * Whether the linkage of an include edge follows from its included rows: they are the complete linkage of
 * a relationship of the primary rows, and each belongs to one primary row. Then the database reads the rows, but not their ids
 * once more. The members of a page have an order of their own.
 */
export function isLinkageFromIncluded(shape: ReadShape, index: number, target: Target): boolean {
  const edge = shape.includeEdges[index]
  if (edge?.parent !== primaryRowSet || startsAtLinkage(edge) || !edge.many) return false
  if (edge.page) return false
  const resource = getResourceType(target.model, shape.type)
  const { link } = getRelationship(resource, edge.relationship)
  const isOwnerId = isSameKey(link.ownKey, resource.id.columns) && !hasSpellings(resource, target)
  const hasOneOwner = link.foreignKey === 'other' && isOwnerId
  return hasOneOwner && earlierRowSets(shape, index).length === 0
}

/** Whether the keys of a type may be spelled differently from its ids, because their comparison ignores case. */
export function hasSpellings({ table, id }: ResourceType, { facts }: Target): boolean {
  return id.parts.some(
    ({ column, kind }) => kind.codec === 'text' && facts.ignoresCase(table, column),
  )
}

/**
 * Whether a foreign key of the row is the linkage itself; not if the type has a scope that the other row may not match, if a policy
 * of the database may hide the row, if the id may be spelled differently, or if the key may reference nothing
 * (docs/decisions/0057).
 */
export function isOwnKey(field: RelationshipField, target: Target): boolean {
  const { link, to, many, isEnforced } = field
  const other = getResourceType(target.model, to)
  return (
    !many &&
    link.foreignKey === 'own' &&
    isSameKey(link.otherKey, other.id.columns) &&
    other.scope === undefined &&
    !target.facts.mayHide(other.table) &&
    !hasSpellings(other, target) &&
    (isEnforced ?? target.facts.isEnforced(field))
  )
}
