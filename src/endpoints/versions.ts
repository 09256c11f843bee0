import type { Planner } from '../plan/planner.ts'
import type { ReadPlan } from '../plan/read.ts'
import type { CompleteRows } from '../plan/read-result.ts'
import { computeSetVersion } from '../plan/version.ts'

/** The version of the resource that a document shows; `undefined` for a document without one. */
export function getRowVersion(
  planner: Planner,
  { shape }: ReadPlan,
  { primary }: Pick<CompleteRows, 'primary'>,
): string | undefined {
  const [row] = primary
  return row && planner.getVersions(shape.primary)?.(row)
}

/** The version of the members of a relationship; `undefined` for a document that may show a part of them. */
export function getSetVersion(
  { model }: Planner,
  { shape, page }: ReadPlan,
  { primary }: Pick<CompleteRows, 'primary'>,
  of: Readonly<{ type: string; id: string; relationship: string }>,
): string | undefined {
  if (page !== undefined || shape.where !== undefined) return undefined
  return computeSetVersion(
    model.sealer,
    of,
    primary.map(([id]) => String(id)),
  )
}
