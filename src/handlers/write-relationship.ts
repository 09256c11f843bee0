import { relate } from '../lifecycle/write.ts'
import type { Model, RelationshipField, ResourceType } from '../model/model.ts'
import { readLinkage } from '../parse/body.ts'
import { readQuery } from '../parse/query.ts'
import { planRelationshipWrite } from '../plan/body.ts'
import { planLinkage } from '../plan/read.ts'
import { rememberPlans } from '../plan/shape.ts'
import { pathId } from '../plan/target.ts'
import type { LinkChange } from '../plan/write-builder.ts'
import { messageDocument } from '../serialize/document.ts'
import type { Endpoint } from './handler.ts'

const messages = {
  add: 'Relationship successfully created',
  remove: 'Relationship successfully updated',
  replace: 'Relationship successfully updated',
} as const

/** `POST`, `DELETE` and `PATCH /persons/1/relationships/computers`. The query is checked, though nothing is shown. */
export function writeRelationship(
  model: Model,
  resource: ResourceType,
  relationship: RelationshipField,
  change: LinkChange['change'],
): Endpoint {
  const checkQuery = rememberPlans((search) =>
    planLinkage(model, readQuery(search), { resource, relationship }),
  )
  return async (call, { store }) => {
    const id = pathId(resource, call.id)
    checkQuery(call.search)
    const plan = planRelationshipWrite(
      model,
      readLinkage(call.body),
      { resource, relationship, id },
      change,
    )
    await relate(plan, { model, store, caller: call.caller })
    return { status: 200, body: messageDocument(messages[change]) }
  }
}
