import { carryOut } from '../lifecycle/write.ts'
import { type Model, type RelationshipField, type ResourceType, typeNamed } from '../model/model.ts'
import { readResource } from '../parse/body.ts'
import { readQuery } from '../parse/query.ts'
import { planCreate } from '../plan/body.ts'
import { planOne } from '../plan/read.ts'
import type { WholeRows } from '../plan/result.ts'
import { rememberPlans } from '../plan/shape.ts'
import { pathId } from '../plan/target.ts'
import { type Endpoint, resourcePath } from './handler.ts'

/** `POST /persons`; `POST /persons/1/computers`, which links the new computer to her. */
export function create(
  model: Model,
  resource: ResourceType,
  relationship?: RelationshipField,
): Endpoint {
  const created = relationship ? typeNamed(model, relationship.to) : resource
  const answerOf = rememberPlans((search) =>
    planOne(model, readQuery(search), { resource: created }),
  )
  return async (call, { store, documents, base }) => {
    const parent = relationship && { resource, relationship, id: pathId(resource, call.id) }
    const answer = answerOf(call.search)
    const plan = planCreate(model, readResource(call.body), created, parent)
    const tell = (rows: WholeRows, id: string) => {
      const location = resourcePath(base, created, id)
      return { status: 201, headers: { location }, body: documents.one(answer, rows, location) }
    }
    return await carryOut(plan, { plan: answer, tell }, { model, store, caller: call.caller })
  }
}
