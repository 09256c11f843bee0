import { executeRead } from '../lifecycle/read.ts'
import type { ResourceType } from '../model/model.ts'
import { parseQuery } from '../parse/query.ts'
import { autoParameterize } from '../plan/cache/auto-parameterization.ts'
import { cachePlans } from '../plan/cache/plan-cache.ts'
import type { Planner } from '../plan/planner.ts'
import { planCollection } from '../plan/read.ts'
import { thenMaybe } from '../store/then-maybe.ts'
import type { Handler } from './handler.ts'

/** `GET /persons`: the resources of a type. */
export function getCollection(planner: Planner, resource: ResourceType): Handler {
  const planQuery = cachePlans(
    autoParameterize((search) => planCollection(planner, parseQuery(search), { resource })),
  )
  return (request, context) => {
    const { serializer, prefix } = context
    const plan = planQuery(request.search)
    const linkBase = { origin: request.origin, path: prefix + resource.path }
    return thenMaybe(executeRead(plan, undefined, context, request), (rows) => ({
      status: 200,
      body: serializer.serializeCollection(plan, rows, linkBase),
    }))
  }
}
