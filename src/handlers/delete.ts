import { remove } from '../lifecycle/write.ts'
import type { Model, ResourceType } from '../model/model.ts'
import { readQuery } from '../parse/query.ts'
import { planDelete } from '../plan/body.ts'
import { planOne } from '../plan/read.ts'
import { rememberPlans } from '../plan/shape.ts'
import { pathId } from '../plan/target.ts'
import { messageDocument } from '../serialize/document.ts'
import type { Endpoint } from './handler.ts'

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
