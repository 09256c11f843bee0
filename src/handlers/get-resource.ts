import { read } from '../lifecycle/read.ts'
import type { Model, ResourceType } from '../model/model.ts'
import { readQuery } from '../parse/query.ts'
import { planOne } from '../plan/read.ts'
import { rememberPlans } from '../plan/shape.ts'
import { pathId } from '../plan/target.ts'
import { type Endpoint, resourcePath } from './handler.ts'

/** `GET /persons/1`: one resource. */
export function getResource(model: Model, resource: ResourceType): Endpoint {
  const planOf = rememberPlans((search) => planOne(model, readQuery(search), { resource }))
  return async (call, { store, documents, base }) => {
    const id = pathId(resource, call.id)
    const plan = planOf(call.search)
    const rows = await read(plan, id, { model, store, caller: call.caller, signal: call.signal })
    return { status: 200, body: documents.one(plan, rows, resourcePath(base, resource, id)) }
  }
}
