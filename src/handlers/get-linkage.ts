import { executeRead } from '../lifecycle/read.ts'
import type { RelationshipField, ResourceType } from '../model/model.ts'
import { parseQuery } from '../parse/query.ts'
import { autoParameterize } from '../plan/cache/auto-parameterization.ts'
import { cachePlans } from '../plan/cache/plan-cache.ts'
import { parsePathId } from '../plan/path-id.ts'
import type { Planner } from '../plan/planner.ts'
import { planLinkage } from '../plan/read.ts'
import { thenMaybe } from '../store/then-maybe.ts'
import type { Handler } from './handler.ts'
import { formatRelatedPath, formatRelationshipPath } from './paths.ts'

/** `GET /persons/1/relationships/computers`: the linkage of a relationship. */
export function getLinkage(
  planner: Planner,
  resource: ResourceType,
  relationship: RelationshipField,
): Handler {
  const planQuery = cachePlans(
    autoParameterize((search) =>
      planLinkage(planner, parseQuery(search), { resource, relationship }),
    ),
  )
  return (request, context) => {
    const { serializer, prefix } = context
    const id = parsePathId(resource, request.id)
    const plan = planQuery(request.search)
    const path = formatRelationshipPath(prefix, resource, id, relationship)
    const related = formatRelatedPath(prefix, resource, id, relationship)
    const serialize = relationship.many
      ? serializer.serializeToManyLinkage
      : serializer.serializeToOneLinkage
    return thenMaybe(executeRead(plan, id, context, request), (rows) => ({
      status: 200,
      body: serialize(plan, rows, { origin: request.origin, path, related }),
    }))
  }
}
