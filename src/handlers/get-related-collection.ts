import { executeRead } from '../lifecycle/read.ts'
import type { RelationshipField, ResourceType } from '../model/model.ts'
import { parseQuery } from '../parse/query.ts'
import { autoParameterize } from '../plan/cache/auto-parameterization.ts'
import { cachePlans } from '../plan/cache/plan-cache.ts'
import { nameIdParameter, parsePathId } from '../plan/path-id.ts'
import type { Planner } from '../plan/planner.ts'
import { planCollection } from '../plan/read.ts'
import { thenMaybe } from '../store/then-maybe.ts'
import type { Handler } from './handler.ts'
import { formatRelatedPath } from './paths.ts'

/** `GET /persons/1/computers`: the related resources of a to-many relationship. */
export function getRelatedCollection(
  planner: Planner,
  resource: ResourceType,
  relationship: RelationshipField,
): Handler {
  const planQuery = cachePlans(
    autoParameterize((search) =>
      planCollection(planner, parseQuery(search), { resource, relationship }),
    ),
  )
  const parameter = nameIdParameter(resource, relationship)
  return (request, context) => {
    const { serializer, prefix } = context
    const id = parsePathId(resource, request.id, parameter)
    const plan = planQuery(request.search)
    const linkBase = {
      origin: request.origin,
      path: formatRelatedPath(prefix, resource, id, relationship),
    }
    return thenMaybe(executeRead(plan, id, context, request), (rows) => ({
      status: 200,
      body: serializer.serializeCollection(plan, rows, linkBase),
    }))
  }
}
