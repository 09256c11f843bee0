import { executeWrite } from '../lifecycle/write.ts'
import { getResourceType, type RelationshipField, type ResourceType } from '../model/model.ts'
import { parseResource } from '../parse/body.ts'
import { parseQuery } from '../parse/query.ts'
import { cachePlans } from '../plan/cache/plan-cache.ts'
import { parsePathId } from '../plan/path-id.ts'
import type { Planner } from '../plan/planner.ts'
import { planResource, type ReadPlan } from '../plan/read.ts'
import type { CompleteRows } from '../plan/read-result.ts'
import { planCreate } from '../plan/write.ts'
import type { Handler } from './handler.ts'
import { formatResourcePath } from './paths.ts'

/** `POST /persons`. With a relationship `POST /persons/1/computers`: adds the new computer to those of the person. */
export function createResource(
  planner: Planner,
  resource: ResourceType,
  relationship?: RelationshipField,
): Handler {
  const created = relationship ? getResourceType(planner.model, relationship.to) : resource
  const planQuery = cachePlans((search) =>
    planResource(planner, parseQuery(search), { resource: created }),
  )
  return (request, context) => {
    const { serializer, prefix } = context
    const parent = relationship && {
      resource,
      relationship,
      id: parsePathId(resource, request.id),
    }
    const readPlan = planQuery(request.search)
    const writePlan = planCreate(planner, parseResource(request.body), created, {
      parent,
      auth: request.auth,
      writer: request.writer,
    })
    const serialize = (plan: ReadPlan, rows: CompleteRows, id: string) => {
      const location = formatResourcePath(prefix, created, id)
      const body = serializer.serializeResource(plan, rows, location)
      return { status: 201, headers: { location }, body }
    }
    return executeWrite(writePlan, { plan: readPlan, serialize }, context, request)
  }
}
