import { primaryRowSet } from '../../plan/include.ts'
import type { ReadShape } from '../../plan/read.ts'
import { findIncludedLayout } from '../../plan/read-result.ts'
import type { Row, RowLayout } from '../../plan/row-layout.ts'
import { isList } from '../buffering.ts'
import type { LinkageLimit } from '../tables.ts'
import type { DocumentRows } from './json-rows.ts'

// The linkage of a document that is read by one statement. A statement cannot stop at a number of ids of all
// of its rows, so it stops at a number for each row. Whoever receives the rows counts the ids of all.

/** The most ids of a relationship that one of many resources may have in a document in memory. */
const maxLinkageOfOneInMany = 1000

/** Returns the index of the include edge, or `primaryRowSet`, whose rows have more linkage than a limit; `undefined` if none has. */
export type FindLongLinkage = (rows: DocumentRows) => number | undefined

/** Creates the limit of a statement. @param maxLinkage - the most ids of a relationship, of all resources; absent: no limit */
export function createLinkageLimit(
  shape: ReadShape,
  maxLinkage: number | undefined,
): LinkageLimit | undefined {
  if (maxLinkage === undefined) return undefined
  const hasMany = isList(shape) || shape.includeEdges.length > 0
  const perResource = hasMany ? Math.min(maxLinkage, maxLinkageOfOneInMany) : maxLinkage
  return { perResource, perRelationship: maxLinkage }
}

/** Compiles the search for linkage beyond a limit; `undefined` if no row has an array of ids. */
export function compileFindLongLinkage(
  shape: ReadShape,
  limit: LinkageLimit,
): FindLongLinkage | undefined {
  const layouts = shape.includeEdges.map(({ to }) => findIncludedLayout(shape, to))
  const ofPrimary = linkageIndexes(shape.primary)
  const ofIncluded = layouts.map(linkageIndexes)
  if ([ofPrimary, ...ofIncluded].every((indexes) => indexes.length === 0)) return undefined
  return ({ primary, included }) => {
    if (isLong(primary, ofPrimary, limit)) return primaryRowSet
    const edge = included.findIndex((rows, index) => isLong(rows, ofIncluded[index] ?? [], limit))
    return edge === -1 ? undefined : edge
  }
}

/** The indexes of the arrays of ids in a row. */
function linkageIndexes({ values, linkages }: RowLayout): readonly number[] {
  return linkages.flatMap(({ many }, index) => (many ? [1 + values.length + index] : []))
}

function isLong(rows: readonly Row[], indexes: readonly number[], limit: LinkageLimit): boolean {
  return indexes.some((at) => {
    let total = 0
    for (const row of rows) {
      // The layout says that it is an array of ids.
      const { length } = row[at] as readonly string[]
      if (length > limit.perResource) return true
      total += length
    }
    return total > limit.perRelationship
  })
}
