import { messageDocument } from '../document/document.ts'
import type { Model, ResourceType } from '../model/model.ts'
import { planDelete } from '../plan/body.ts'
import { planOne } from '../plan/read.ts'
import { rememberPlans } from '../plan/shape.ts'
import { pathId } from '../plan/target.ts'
import { readQuery } from '../request/query.ts'
import { remove } from '../rules/write.ts'
import type { Endpoint } from './endpoint.ts'

/** `DELETE /persons/1`. The query is checked, though nothing is shown; a body is ignored. */
export function removeResource(model: Model, resource: ResourceType): Endpoint {
  const checkQuery = rememberPlans((search) => planOne(model, readQuery(search), { resource }))
  return async (call, { store }) => {
    const id = pathId(resource, call.id)
    checkQuery(call.search)
    await remove(planDelete(resource, id), { model, store, caller: call.caller })
    return { status: 200, body: messageDocument('Object successfully deleted') }
  }
}
