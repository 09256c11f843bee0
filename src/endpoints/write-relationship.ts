import { messageDocument } from '../document/document.ts'
import type { RelationshipField, ResourceType } from '../model/model.ts'
import { type LinkChange, planRelationshipWrite } from '../plan/body.ts'
import { planLinkage } from '../plan/read.ts'
import { pathId } from '../plan/target.ts'
import { readLinkage } from '../request/body.ts'
import { readQuery } from '../request/query.ts'
import type { Endpoint } from './endpoint.ts'

const messages = {
  add: 'Relationship successfully created',
  remove: 'Relationship successfully updated',
  replace: 'Relationship successfully updated',
} as const

/** `POST`, `DELETE` and `PATCH /persons/1/relationships/computers`. The query is checked, though nothing is shown. */
export const writeRelationship =
  (
    resource: ResourceType,
    relationship: RelationshipField,
    change: LinkChange['change'],
  ): Endpoint =>
  async (call, house) => {
    const id = pathId(resource, call.id)
    const target = { resource, relationship, id }
    planLinkage(house.model, readQuery(call.search), target)
    const plan = planRelationshipWrite(house.model, readLinkage(call.body), target, change)
    await house.store.write(plan)
    return { status: 200, body: messageDocument(messages[change]) }
  }
