import type { CacheOptions } from '../model/declare/resource.ts'
import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import { getResourceType, type Model } from '../model/model.ts'
import type { ReadShape } from '../plan/read.ts'

/**
 * Creates the function that returns the `Cache-Control` of the documents of a query shape: the strictest of the types whose rows decide
 * them; null if one of them has none.
 */
export function createCacheControl(model: Model): (shape: ReadShape) => string | null {
  return memoizeByIdentity((shape: ReadShape) => {
    const { type, addressed, includeEdges } = shape
    const parent = addressed.is === 'related' ? [addressed.type] : []
    const types = new Set([type, ...parent, ...includeEdges.map(({ to }) => to)])
    const options = [...types].map((name) => getResourceType(model, name).cache)
    return options.every((each) => each !== undefined) ? formatCacheControl(options) : null
  })
}

function formatCacheControl(options: readonly CacheOptions[]): string {
  const maxAge = Math.min(...options.map((each) => each.maxAge ?? 0))
  const stale = Math.min(...options.map((each) => each.staleWhileRevalidate ?? 0))
  const isPublic = options.every((each) => each.public === true)
  return [
    ...(isPublic ? ['public'] : []),
    `max-age=${maxAge}`,
    ...(stale > 0 ? [`stale-while-revalidate=${stale}`] : []),
  ].join(', ')
}
