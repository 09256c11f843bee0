import { executeRelationshipWrite } from '../lifecycle/write.ts'
import type { RelationshipField, ResourceType } from '../model/model.ts'
import { parseLinkage } from '../parse/body.ts'
import { parseQuery } from '../parse/query.ts'
import { cachePlans } from '../plan/cache/plan-cache.ts'
import { parsePathId } from '../plan/path-id.ts'
import type { Planner } from '../plan/planner.ts'
import { planLinkage } from '../plan/read.ts'
import { planRelationshipWrite } from '../plan/write.ts'
import type { LinkChange } from '../plan/write-builder.ts'
import type { Handler } from './handler.ts'

const messages = {
  add: 'Relationship successfully created',
  remove: 'Relationship successfully updated',
  replace: 'Relationship successfully updated',
} as const

/**
 * `POST`, `DELETE` and `PATCH /persons/1/relationships/computers`. It validates the query, though the response shows no
 * linkage.
 */
export function writeRelationship(
  planner: Planner,
  resource: ResourceType,
  relationship: RelationshipField,
  change: LinkChange['change'],
): Handler {
  const validateQuery = cachePlans((search) =>
    planLinkage(planner, parseQuery(search), { resource, relationship }),
  )
  return async (request, context) => {
    const id = parsePathId(resource, request.id)
    validateQuery(request.search)
    const linkage = parseLinkage(request.body)
    const addressed = { resource, relationship, id }
    const plan = planRelationshipWrite(planner, linkage, addressed, change, request.writer)
    await executeRelationshipWrite(plan, context, request)
    return { status: 200, body: context.serializer.serializeMessage(messages[change]) }
  }
}
