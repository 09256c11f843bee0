import { executeDelete } from '../lifecycle/delete.ts'
import type { ResourceType } from '../model/model.ts'
import { parseQuery } from '../parse/query.ts'
import { cachePlans } from '../plan/cache/plan-cache.ts'
import { parsePathId } from '../plan/path-id.ts'
import type { Planner } from '../plan/planner.ts'
import { planResource } from '../plan/read.ts'
import { planDelete } from '../plan/write.ts'
import type { Handler } from './handler.ts'

/** What the response says. A trigger of the database may turn a deletion into an update (docs/declaring/databases.md). */
const messages = {
  deleted: 'Object successfully deleted',
  kept: 'The database kept the object: a trigger or a rule replaced its deletion',
} as const

/** `DELETE /persons/1`. It validates the query, though the response shows no resource, and ignores a body. */
export function deleteResource(planner: Planner, resource: ResourceType): Handler {
  const validateQuery = cachePlans((search) =>
    planResource(planner, parseQuery(search), { resource }),
  )
  return async (request, context) => {
    const id = parsePathId(resource, request.id)
    validateQuery(request.search)
    const result = await executeDelete(planDelete(planner, resource, id), context, request)
    return { status: 200, body: context.serializer.serializeMessage(messages[result]) }
  }
}
