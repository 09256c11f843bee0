import { executeRead } from '../lifecycle/read.ts'
import type { RelationshipField, ResourceType } from '../model/model.ts'
import { parseQuery } from '../parse/query.ts'
import { cachePlans } from '../plan/cache/plan-cache.ts'
import { nameIdParameter, parsePathId } from '../plan/path-id.ts'
import type { Planner } from '../plan/planner.ts'
import { planResource } from '../plan/read.ts'
import { thenMaybe } from '../store/then-maybe.ts'
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
  return (request, context) => {
    const { serializer, prefix } = context
    const id = parsePathId(resource, request.id, parameter)
    const plan = planQuery(request.search)
    const path = formatRelatedPath(prefix, resource, id, relationship)
    return thenMaybe(executeRead(plan, id, context, request), (rows) => ({
      status: 200,
      body: serializer.serializeResource(plan, rows, path),
    }))
  }
}
