import { executeRead } from '../lifecycle/read.ts'
import type { ResourceType } from '../model/model.ts'
import { parseQuery } from '../parse/query.ts'
import { cachePlans } from '../plan/cache/plan-cache.ts'
import { parsePathId } from '../plan/path-id.ts'
import type { Planner } from '../plan/planner.ts'
import { planResource } from '../plan/read.ts'
import { thenMaybe } from '../store/then-maybe.ts'
import type { Handler } from './handler.ts'
import { formatResourcePath } from './paths.ts'

/** `GET /persons/1`: one resource. */
export function getResource(planner: Planner, resource: ResourceType): Handler {
  const planQuery = cachePlans((search) => planResource(planner, parseQuery(search), { resource }))
  return (request, context) => {
    const { serializer, prefix } = context
    const id = parsePathId(resource, request.id)
    const plan = planQuery(request.search)
    const path = formatResourcePath(prefix, resource, id)
    return thenMaybe(executeRead(plan, id, context, request), (rows) => ({
      status: 200,
      body: serializer.serializeResource(plan, rows, path),
    }))
  }
}
