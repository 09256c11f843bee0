import { read } from '../lifecycle/read.ts'
import type { Model, RelationshipField, ResourceType } from '../model/model.ts'
import { readQuery } from '../parse/query.ts'
import { planLinkage } from '../plan/read.ts'
import { rememberPlans } from '../plan/shape.ts'
import { pathId } from '../plan/target.ts'
import { byTemplate } from '../plan/template.ts'
import { type Endpoint, relatedPath, relationshipPath } from './handler.ts'

/** `GET /persons/1/relationships/computers`: the linkage of a relationship. */
export function getRelationship(
  model: Model,
  resource: ResourceType,
  relationship: RelationshipField,
): Endpoint {
  const planOf = rememberPlans(
    byTemplate((search) => planLinkage(model, readQuery(search), { resource, relationship })),
  )
  return async (call, { store, documents, base }) => {
    const id = pathId(resource, call.id)
    const plan = planOf(call.search)
    const rows = await read(plan, id, { model, store, caller: call.caller, signal: call.signal })
    const path = relationshipPath(base, resource, id, relationship)
    const related = relatedPath(base, resource, id, relationship)
    const tell = relationship.many ? documents.linkages : documents.linkage
    return { status: 200, body: tell(plan, rows, { origin: call.origin, path, related }) }
  }
}
