import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import type { Model, ResourceType } from '../model/model.ts'
import { createQueryShapeCache, type QueryShapeCache } from './cache/query-shapes.ts'
import { planLayout } from './fields.ts'
import type { RowLayout } from './row-layout.ts'
import { createVersions, type GetVersion } from './version.ts'

/**
 * What the functions of `src/plan/` need besides the parsed request: the model, the cache of query shapes, and the layouts that
 * most requests share. Each application creates one.
 */
export interface Planner {
  readonly model: Model
  readonly shapes: QueryShapeCache
  /** The layout of a type without a fieldset and without included relationships, which most requests need. */
  readonly defaultLayout: (resource: ResourceType) => RowLayout
  /** Returns how the versions of the rows of a layout are computed; null for a layout without them. */
  readonly getVersions: (layout: RowLayout) => GetVersion | null
}

/** Creates the planner of an application. */
export function createPlanner(model: Model): Planner {
  const shapes = createQueryShapeCache()
  return {
    model,
    shapes,
    defaultLayout: memoizeByIdentity((resource: ResourceType) =>
      shapes.intern(planLayout(resource, new Map(), new Set())),
    ),
    getVersions: createVersions(model),
  }
}
