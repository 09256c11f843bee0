import { messageDocument } from '../document/document.ts'
import type { ResourceType } from '../model/model.ts'
import { planDelete } from '../plan/body.ts'
import { planOne } from '../plan/read.ts'
import { pathId } from '../plan/target.ts'
import { readQuery } from '../request/query.ts'
import type { Endpoint } from './endpoint.ts'

/** `DELETE /persons/1`. The query is checked, though nothing is shown; a body is ignored. */
export const remove =
  (resource: ResourceType): Endpoint =>
  async (call, house) => {
    const id = pathId(resource, call.id)
    planOne(house.model, readQuery(call.search), { resource, id })
    await house.store.remove(planDelete(resource, id))
    return { status: 200, body: messageDocument('Object successfully deleted') }
  }
