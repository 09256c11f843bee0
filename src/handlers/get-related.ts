import { read } from '../lifecycle/read.ts'
import type { Model, RelationshipField, ResourceType } from '../model/model.ts'
import { readQuery } from '../parse/query.ts'
import { planCollection, planOne } from '../plan/read.ts'
import { rememberPlans } from '../plan/shape.ts'
import { parentParameter, pathId } from '../plan/target.ts'
import { byTemplate } from '../plan/template.ts'
import { type Endpoint, relatedPath } from './handler.ts'

/** `GET /persons/1/computers`: the resources that a to-many relationship leads to. */
export function getRelatedCollection(
  model: Model,
  resource: ResourceType,
  relationship: RelationshipField,
): Endpoint {
  const planOf = rememberPlans(
    byTemplate((search) => planCollection(model, readQuery(search), { resource, relationship })),
  )
  return async (call, { store, documents, base }) => {
    const id = pathId(resource, call.id, parentParameter(resource, relationship))
    const plan = planOf(call.search)
    const rows = await read(plan, id, { model, store, caller: call.caller, signal: call.signal })
    const place = { origin: call.origin, path: relatedPath(base, resource, id, relationship) }
    return { status: 200, body: documents.collection(plan, rows, place) }
  }
}

/** `GET /computers/1/owner`: the resource that a to-one relationship leads to, or null. */
export function getRelatedResource(
  model: Model,
  resource: ResourceType,
  relationship: RelationshipField,
): Endpoint {
  const planOf = rememberPlans((search) =>
    planOne(model, readQuery(search), { resource, relationship }),
  )
  return async (call, { store, documents, base }) => {
    const id = pathId(resource, call.id, parentParameter(resource, relationship))
    const plan = planOf(call.search)
    const rows = await read(plan, id, { model, store, caller: call.caller, signal: call.signal })
    return {
      status: 200,
      body: documents.one(plan, rows, relatedPath(base, resource, id, relationship)),
    }
  }
}
