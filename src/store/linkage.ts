import {
  getRelationship,
  getResourceType,
  type Model,
  type RelationshipField,
} from '../model/model.ts'
import { primaryRowSet } from '../plan/include.ts'
import { startsAtLinkage } from '../plan/projection.ts'
import type { ReadShape } from '../plan/read.ts'

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
 * Whether the linkage of an include edge follows from its included rows (docs/decisions/0033): they are the complete linkage of
 * a relationship of the primary rows, and each belongs to one primary row. Then the database reads the rows, but not their ids
 * once more.
 */
export function isLinkageFromIncluded(shape: ReadShape, index: number, model: Model): boolean {
  const edge = shape.includeEdges[index]
  if (edge?.parent !== primaryRowSet || startsAtLinkage(edge) || !edge.many) return false
  const resource = getResourceType(model, shape.type)
  const { link } = getRelationship(resource, edge.relationship)
  const hasOneOwner = link.foreignKey === 'other' && link.ownKey === resource.id.column
  return hasOneOwner && earlierRowSets(shape, index).length === 0
}

/** Whether a foreign key of the row is the linkage itself; not if the type has a scope that the other row may not match. */
export function isOwnKey({ link, to, many }: RelationshipField, model: Model): boolean {
  const other = getResourceType(model, to)
  return (
    !many &&
    link.foreignKey === 'own' &&
    link.otherKey === other.id.column &&
    other.scope === undefined
  )
}
