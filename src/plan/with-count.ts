import { emptyCollector, report, throwErrors } from '../errors/collector.ts'
import { ParameterError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { suggest } from '../errors/suggestion.ts'
import { findRelationship, listRelationships, type ResourceType } from '../model/model.ts'
import type { ParsedQuery } from '../parse/query.ts'

/**
 * Resolves the relationships of `withCount`, which are those of the primary data.
 * @throws ApiError | ManyErrors `invalid_count` (400) for every name that is not a relationship with `count`
 * @see `docs/service.md`, Counts
 */
export function planWithCount(
  { withCount = [] }: Pick<ParsedQuery, 'withCount'>,
  resource: ResourceType,
): readonly string[] {
  const errors = emptyCollector()
  for (const name of withCount)
    if (!findRelationship(resource, name)?.isCounted)
      report(errors, () => notCounted(name, resource))
  throwErrors(errors)
  return withCount
}

/** Rejects `withCount` for a document whose primary data is linkage. @throws ParameterError `invalid_count` (400) */
export function rejectWithCount({ withCount }: Pick<ParsedQuery, 'withCount'>): undefined {
  if (withCount === undefined) return undefined
  const detail = 'withCount: this URL returns resource linkage; request the resource instead.'
  throw new ParameterError('invalid_count', 'withCount', detail)
}

function notCounted(name: string, resource: ResourceType): ParameterError {
  const { type } = resource
  const counted = listRelationships(resource).filter(({ isCounted }) => isCounted)
  const names = counted.map((field) => field.name)
  const known = suggest(name, names, `counted relationships of ${type}`)
  const detail = `withCount: ${type} has no counted relationship ${quote(name)}; ${known}`
  return new ParameterError('invalid_count', 'withCount', detail)
}
