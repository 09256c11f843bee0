import { getResourceType, type RelationshipField, type ResourceType } from '../model/model.ts'
import { parseLinkage, parseResource } from '../parse/body.ts'
import { parseQuery } from '../parse/query.ts'
import { cachePlans } from '../plan/cache/plan-cache.ts'
import { parsePathId } from '../plan/path-id.ts'
import type { Planner } from '../plan/planner.ts'
import { planLinkage, planResource, planResponse, type ReadPlan } from '../plan/read.ts'
import type { CompleteRows } from '../plan/read-result.ts'
import { getRowVersion, planCondition, planCreateCondition } from '../plan/version-condition.ts'
import {
  planCreate,
  planDelete,
  planRelationshipWrite,
  planUpdate,
  type WritePlan,
} from '../plan/write.ts'
import type { LinkChange } from '../plan/write-builder.ts'
import type { ApiRequest } from './handler.ts'
import { checkIdempotencyKey } from './idempotency-keys.ts'
import { formatResourcePath } from './paths.ts'
import type { RequestPlanner } from './request-plan.ts'

/** `POST /persons`. With a relationship `POST /persons/1/computers`: adds the new computer to those of the person. */
export function createResource(
  planner: Planner,
  resource: ResourceType,
  relationship?: RelationshipField,
): RequestPlanner {
  const created = relationship ? getResourceType(planner.model, relationship.to) : resource
  const planQuery = cacheResponses(planner, created)
  return (request, { serializer, prefix, open, isOfBatch }) => {
    if (created.requiresIdempotencyKey) checkIdempotencyKey(request, open)
    const parent = relationship && {
      resource,
      relationship,
      id: request.inserted ? request.id : parsePathId(resource, request.id),
    }
    const read = planQuery(request.search, isOfBatch)
    const parsed = parseResource(request.body)
    const write = planCreate(planner, parsed, created, {
      parent,
      auth: request.auth,
      writer: request.writer,
    })
    const { conditions } = request
    const taken = conditions && planCreateCondition(planner, created, conditions)
    const serialize = (plan: ReadPlan, rows: CompleteRows, id: string) => {
      const location = formatResourcePath(prefix, created, id)
      const body = serializer.serializeResource(plan, rows, location)
      const version = getRowVersion(planner, plan, rows)
      return { status: 201, headers: { location }, body, version }
    }
    const hasClientId = parsed.id !== undefined && created.ids.fromClient !== 'forbidden'
    return { is: 'write', write, response: { plan: read, serialize }, taken, hasClientId }
  }
}

/** `PATCH /persons/1`: updates attributes and relationships, all of them or none. */
export function updateResource(planner: Planner, resource: ResourceType): RequestPlanner {
  const planQuery = cacheResponses(planner, resource)
  return (request, { serializer, prefix, open, isOfBatch }) => {
    const id = request.inserted ? request.id : parsePathId(resource, request.id)
    if (resource.requiresIdempotencyKey) checkIdempotencyKey(request, open)
    const read = planQuery(request.search, isOfBatch)
    const parsed = parseResource(request.body, true)
    const update = planUpdate(planner, parsed, resource, id, request.writer)
    const write = { ...update, ...addCondition(planner, { resource, id, isOfBatch }, request) }
    const path = formatResourcePath(prefix, resource, id)
    const serialize = (plan: ReadPlan, rows: CompleteRows) => ({
      status: 200,
      body: serializer.serializeResource(plan, rows, path),
      version: getRowVersion(planner, plan, rows),
    })
    return { is: 'write', write, response: { plan: read, serialize } }
  }
}

/** `DELETE /persons/1`. It validates the query, though the response shows no resource, and ignores a body. */
export function deleteResource(planner: Planner, resource: ResourceType): RequestPlanner {
  const validateQuery = cachePlans((search) =>
    planResource(planner, parseQuery(search), { resource }),
  )
  return (request, { open, isOfBatch }) => {
    const id = request.inserted ? request.id : parsePathId(resource, request.id)
    if (resource.requiresIdempotencyKey) checkIdempotencyKey(request, open)
    validateQuery(request.search)
    const remove = planDelete(planner, resource, id)
    return {
      is: 'delete',
      write: { ...remove, ...addCondition(planner, { resource, id, isOfBatch }, request) },
    }
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
): RequestPlanner {
  const validateQuery = cachePlans((search) =>
    planLinkage(planner, parseQuery(search), { resource, relationship }),
  )
  return (request, { open, isOfBatch }) => {
    const id = request.inserted ? request.id : parsePathId(resource, request.id)
    if (resource.requiresIdempotencyKey) checkIdempotencyKey(request, open)
    validateQuery(request.search)
    const linkage = parseLinkage(request.body, change === 'replace')
    const addressed = { resource, relationship, id }
    const plan = planRelationshipWrite(planner, linkage, addressed, change, request.writer)
    const mayBeRequired = change !== 'add'
    const target = { ...addressed, mayBeRequired, isOfBatch }
    const write = { ...plan, ...addCondition(planner, target, request) }
    return { is: 'link', write, change }
  }
}

/** Creates the function that plans the response to a write of a type, or the result of an operation; it caches both. */
function cacheResponses(
  planner: Planner,
  resource: ResourceType,
): (search: string, isResult?: boolean) => ReadPlan {
  const cache = (isResult: boolean) =>
    cachePlans((search) => planResponse(planner, parseQuery(search), resource, isResult))
  const [planDocument, planResult] = [cache(false), cache(true)]
  return (search, isResult) => (isResult ? planResult : planDocument)(search)
}

/** Plans the condition of a request; nothing if it has and needs none. What the server itself or an action writes needs none. */
function addCondition(
  planner: Planner,
  target: Readonly<{
    resource: ResourceType
    id: string
    relationship?: RelationshipField
    mayBeRequired?: boolean
    isOfBatch: boolean | undefined
  }>,
  { conditions = {}, isPart = false, lid, writer }: ApiRequest,
): Pick<WritePlan, 'condition'> {
  const mayBeRequired = target.mayBeRequired !== false && !isPart && writer !== 'server'
  const condition = planCondition(planner, { ...target, lid, mayBeRequired }, conditions)
  return condition ? { condition } : {}
}
