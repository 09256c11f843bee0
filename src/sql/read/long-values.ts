import { traitsOf } from '../../model/kinds/codec-names.ts'
import { getRelationship, getResourceType, type IdField, type Model } from '../../model/model.ts'
import type { ReadShape } from '../../plan/read.ts'
import { findIncludedLayout } from '../../plan/read-result.ts'
import type { RowLayout } from '../../plan/row-layout.ts'

/** The positions of the values that may be long texts, in primary rows and in those of each include edge. */
export interface LongPositions {
  readonly primary: readonly number[]
  readonly included: readonly (readonly number[])[]
}

/** Finds the positions of the values that may be long texts in the rows of a document. */
export function findLongPositions(shape: ReadShape, model: Model): LongPositions {
  const find = (layout: RowLayout) => findLong(layout, model)
  return {
    primary: find(shape.primary),
    included: shape.includeEdges.map(({ to }) => find(findIncludedLayout(shape, to))),
  }
}

function findLong({ type, values, linkages }: RowLayout, model: Model): readonly number[] {
  const resource = getResourceType(model, type)
  const areLong = [
    isLongId(resource.id),
    ...values.map(({ codec }) => traitsOf(codec).mayBeLong),
    // The linkage of to-many relationships has a limit of its own.
    ...linkages.map(({ relationship, many }) => {
      const { to } = getRelationship(resource, relationship)
      return !many && isLongId(getResourceType(model, to).id)
    }),
  ]
  return areLong.flatMap((isLong, at) => (isLong ? at : []))
}

function isLongId({ parts }: IdField): boolean {
  return parts.some(({ kind }) => traitsOf(kind.codec).mayBeLong)
}
