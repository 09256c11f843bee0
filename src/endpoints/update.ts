import type { Model, ResourceType } from '../model/model.ts'
import { planUpdate } from '../plan/body.ts'
import { planOne } from '../plan/read.ts'
import { pathId } from '../plan/target.ts'
import { readResource } from '../request/body.ts'
import { readQuery } from '../request/query.ts'
import { type Endpoint, resourcePath } from './endpoint.ts'

/** `PATCH /persons/1`: attributes and relationships, all or nothing. */
export function update(model: Model, resource: ResourceType): Endpoint {
  return async (call, { store, documents, base }) => {
    const id = pathId(resource, call.id)
    const answer = planOne(model, readQuery(call.search), { resource })
    const plan = planUpdate(model, readResource(call.body, true), resource, id)
    const path = resourcePath(base, resource, id)
    return store.write(plan, {
      plan: answer,
      tell: (rows) => ({ status: 200, body: documents.one(answer, rows, path) }),
    })
  }
}
