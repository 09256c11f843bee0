import { type Model, relationshipNamed, typeNamed } from '../model/model.ts'
import type { ReadShape } from '../plan/read.ts'
import type { RowLayout } from '../plan/rows.ts'
import { startsAtLinkage } from '../plan/shown.ts'

/** The sets of rows that are told before those of a step and may hold some of them; −1 is the primary one. */
export function toldBefore({ steps, type }: ReadShape, index: number): readonly number[] {
  const to = steps[index]?.to
  const earlier = steps.slice(0, index).flatMap((other, at) => (other.to === to ? [at] : []))
  return to === type && !steps.some(startsAtLinkage) ? [-1, ...earlier] : earlier
}

/**
 * Whether the rows that a step includes tell the linkage that it follows: they are all that a relationship of the primary
 * rows leads to, and each is led to from one of them alone. Then the database looks for the rows once, not for their ids as
 * well.
 */
export function tellsLinkage(shape: ReadShape, index: number, model: Model): boolean {
  const step = shape.steps[index]
  if (step?.from !== -1 || startsAtLinkage(step) || !step.many) return false
  const resource = typeNamed(model, shape.type)
  const { link } = relationshipNamed(resource, step.relationship)
  const isFromOne = link.key === 'there' && link.here === resource.id.column
  return isFromOne && toldBefore(shape, index).length === 0
}

/** The layout of primary rows that are read without the linkage that included rows tell. */
export function untoldLayout(shape: ReadShape, model: Model): RowLayout {
  const told = shape.steps
    .filter((_, index) => tellsLinkage(shape, index, model))
    .map(({ relationship }) => relationship)
  const linkages = shape.primary.linkages.map((linkage) =>
    told.includes(linkage.relationship) ? { ...linkage, isTold: true } : linkage,
  )
  return { ...shape.primary, linkages }
}
