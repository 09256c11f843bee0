import { executeRead } from '../lifecycle/read.ts'
import type { RelationshipField, ResourceType } from '../model/model.ts'
import { parseQuery } from '../parse/query.ts'
import { cachePlans } from '../plan/cache/plan-cache.ts'
import { nameIdParameter, parsePathId } from '../plan/path-id.ts'
import type { Planner } from '../plan/planner.ts'
import { planResource } from '../plan/read.ts'
import type { Handler } from './handler.ts'
import { formatRelatedPath } from './paths.ts'

/** `GET /computers/1/owner`: the related resource of a to-one relationship, or null. */
export function getRelatedResource(
  planner: Planner,
  resource: ResourceType,
  relationship: RelationshipField,
): Handler {
  const planQuery = cachePlans((search) =>
    planResource(planner, parseQuery(search), { resource, relationship }),
  )
  const parameter = nameIdParameter(resource, relationship)
  return async (request, context) => {
    const { serializer, prefix } = context
    const id = parsePathId(resource, request.id, parameter)
    const plan = planQuery(request.search)
    const rows = await executeRead(plan, id, context, request)
    const path = formatRelatedPath(prefix, resource, id, relationship)
    return { status: 200, body: serializer.serializeResource(plan, rows, path) }
  }
}
