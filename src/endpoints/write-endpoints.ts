import { getResourceType, type RelationshipField, type ResourceType } from '../model/model.ts'
import { parseLinkage, parseResource } from '../parse/body.ts'
import { parseQuery } from '../parse/query.ts'
import { cachePlans } from '../plan/cache/plan-cache.ts'
import { parsePathId } from '../plan/path-id.ts'
import type { Planner } from '../plan/planner.ts'
import { planLinkage, planResource, type ReadPlan } from '../plan/read.ts'
import type { CompleteRows } from '../plan/read-result.ts'
import { planCreate, planDelete, planRelationshipWrite, planUpdate } from '../plan/write.ts'
import type { LinkChange } from '../plan/write-builder.ts'
import { formatResourcePath } from './paths.ts'
import type { PlanRequest } from './request-plan.ts'

/** `POST /persons`. With a relationship `POST /persons/1/computers`: adds the new computer to those of the person. */
export function createResource(
  planner: Planner,
  resource: ResourceType,
  relationship?: RelationshipField,
): PlanRequest {
  const created = relationship ? getResourceType(planner.model, relationship.to) : resource
  const planQuery = cachePlans((search) =>
    planResource(planner, parseQuery(search), { resource: created }),
  )
  return (request, { serializer, prefix }) => {
    const parent = relationship && {
      resource,
      relationship,
      id: parsePathId(resource, request.id),
    }
    const read = planQuery(request.search)
    const write = planCreate(planner, parseResource(request.body), created, {
      parent,
      auth: request.auth,
      writer: request.writer,
    })
    const serialize = (plan: ReadPlan, rows: CompleteRows, id: string) => {
      const location = formatResourcePath(prefix, created, id)
      const body = serializer.serializeResource(plan, rows, location)
      return { status: 201, headers: { location }, body }
    }
    return { is: 'write', write, response: { plan: read, serialize } }
  }
}

/** `PATCH /persons/1`: updates attributes and relationships, all of them or none. */
export function updateResource(planner: Planner, resource: ResourceType): PlanRequest {
  const planQuery = cachePlans((search) => planResource(planner, parseQuery(search), { resource }))
  return (request, { serializer, prefix }) => {
    const id = parsePathId(resource, request.id)
    const read = planQuery(request.search)
    const parsed = parseResource(request.body, true)
    const write = planUpdate(planner, parsed, resource, id, request.writer)
    const path = formatResourcePath(prefix, resource, id)
    const serialize = (plan: ReadPlan, rows: CompleteRows) => ({
      status: 200,
      body: serializer.serializeResource(plan, rows, path),
    })
    return { is: 'write', write, response: { plan: read, serialize } }
  }
}

/** `DELETE /persons/1`. It validates the query, though the response shows no resource, and ignores a body. */
export function deleteResource(planner: Planner, resource: ResourceType): PlanRequest {
  const validateQuery = cachePlans((search) =>
    planResource(planner, parseQuery(search), { resource }),
  )
  return (request) => {
    const id = parsePathId(resource, request.id)
    validateQuery(request.search)
    return { is: 'delete', write: planDelete(planner, resource, id) }
  }
}

/**
 * `POST`, `DELETE` and `PATCH /persons/1/relationships/computers`. It validates the query, though the response shows no
 * linkage.
 */
export function writeRelationship(
  planner: Planner,
  resource: ResourceType,
  relationship: RelationshipField,
  change: LinkChange['change'],
): PlanRequest {
  const validateQuery = cachePlans((search) =>
    planLinkage(planner, parseQuery(search), { resource, relationship }),
  )
  return (request) => {
    const id = parsePathId(resource, request.id)
    validateQuery(request.search)
    const linkage = parseLinkage(request.body)
    const addressed = { resource, relationship, id }
    const write = planRelationshipWrite(planner, linkage, addressed, change, request.writer)
    return { is: 'link', write, change }
  }
}
