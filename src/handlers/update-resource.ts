import { executeWrite } from '../lifecycle/write.ts'
import type { ResourceType } from '../model/model.ts'
import { parseResource } from '../parse/body.ts'
import { parseQuery } from '../parse/query.ts'
import { cachePlans } from '../plan/cache/plan-cache.ts'
import { parsePathId } from '../plan/path-id.ts'
import type { Planner } from '../plan/planner.ts'
import { planResource, type ReadPlan } from '../plan/read.ts'
import type { CompleteRows } from '../plan/read-result.ts'
import { planUpdate } from '../plan/write.ts'
import type { Handler } from './handler.ts'
import { formatResourcePath } from './paths.ts'

/** `PATCH /persons/1`: updates attributes and relationships, all of them or none. */
export function updateResource(planner: Planner, resource: ResourceType): Handler {
  const planQuery = cachePlans((search) => planResource(planner, parseQuery(search), { resource }))
  return (request, context) => {
    const { serializer, prefix } = context
    const id = parsePathId(resource, request.id)
    const readPlan = planQuery(request.search)
    const parsed = parseResource(request.body, true)
    const writePlan = planUpdate(planner, parsed, resource, id, request.writer)
    const path = formatResourcePath(prefix, resource, id)
    const serialize = (plan: ReadPlan, rows: CompleteRows) => ({
      status: 200,
      body: serializer.serializeResource(plan, rows, path),
    })
    return executeWrite(writePlan, { plan: readPlan, serialize }, context, request)
  }
}
