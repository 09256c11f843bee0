import type { ApiRequest } from '../handlers/handler.ts'
import type { LifecycleContext } from '../lifecycle/context.ts'
import { executeRead } from '../lifecycle/read.ts'
import type { ResourceType } from '../model/model.ts'
import { parseQuery } from '../parse/query.ts'
import { cachePlans } from '../plan/cache/plan-cache.ts'
import type { Planner } from '../plan/planner.ts'
import { planCollection } from '../plan/read.ts'
import { compileObjects, type PlainObject } from '../serialize/objects.ts'

/** Reads all resources of a list, one after the other. */
export type ResourceReader = (
  request: ApiRequest,
  context: LifecycleContext,
) => AsyncGenerator<PlainObject, void, undefined>

/**
 * Creates the reader of all resources of a type. The maximum page size bounds the work of a request; here the application
 * itself asks for everything, so it does not apply.
 */
export function createResourceReader(planner: Planner, resource: ResourceType): ResourceReader {
  const unbounded = { ...planner, model: { ...planner.model, maxPageSize: undefined } }
  const planQuery = cachePlans((search) => {
    const parsed = { ...parseQuery(search), page: { size: 0 } }
    return planCollection(unbounded, parsed, { resource })
  })
  return async function* readEach(request, context) {
    const plan = planQuery(request.search)
    const build = compileObjects(plan, planner.model)
    const rows = await executeRead(plan, undefined, context, request)
    if (rows.is === 'complete') {
      for (const row of rows.primary) yield build(row)
      return
    }
    try {
      for await (const batch of rows.primary) for (const row of batch) yield build(row)
    } finally {
      rows.end()
    }
  }
}
