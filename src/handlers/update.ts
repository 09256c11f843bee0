import { carryOut } from '../lifecycle/write.ts'
import type { Model, ResourceType } from '../model/model.ts'
import { readResource } from '../parse/body.ts'
import { readQuery } from '../parse/query.ts'
import { planUpdate } from '../plan/body.ts'
import { planOne } from '../plan/read.ts'
import type { WholeRows } from '../plan/result.ts'
import { rememberPlans } from '../plan/shape.ts'
import { pathId } from '../plan/target.ts'
import { type Endpoint, resourcePath } from './handler.ts'

/** `PATCH /persons/1`: attributes and relationships, all or nothing. */
export function update(model: Model, resource: ResourceType): Endpoint {
  const answerOf = rememberPlans((search) => planOne(model, readQuery(search), { resource }))
  return async (call, { store, documents, base }) => {
    const id = pathId(resource, call.id)
    const answer = answerOf(call.search)
    const plan = planUpdate(model, readResource(call.body, true), resource, id)
    const path = resourcePath(base, resource, id)
    const tell = (rows: WholeRows) => ({ status: 200, body: documents.one(answer, rows, path) })
    return await carryOut(plan, { plan: answer, tell }, { model, store, caller: call.caller })
  }
}
