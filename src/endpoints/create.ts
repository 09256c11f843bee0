import { type RelationshipField, type ResourceType, typeNamed } from '../model/model.ts'
import { planCreate } from '../plan/body.ts'
import { planOne } from '../plan/read.ts'
import { pathId } from '../plan/target.ts'
import { readResource } from '../request/body.ts'
import { readQuery } from '../request/query.ts'
import { type Endpoint, placeOf, resourcePath } from './endpoint.ts'

/** `POST /persons`; `POST /persons/1/computers`, which links the new computer to her. */
export const create =
  (resource: ResourceType, relationship?: RelationshipField): Endpoint =>
  async (call, house) => {
    const created = relationship ? typeNamed(house.model, relationship.to) : resource
    const parent = relationship ? { relationship, id: pathId(resource, call.id) } : {}
    const query = readQuery(call.search)
    const answer = planOne(house.model, query, { resource: created, id: '' })
    const plan = planCreate(house.model, readResource(call.body), { resource, ...parent })
    const { id, rows } = await house.store.write(plan, answer)
    const path = resourcePath(house, created, id)
    return {
      status: 201,
      headers: { location: path },
      body: house.documents.one(answer, rows, placeOf(call, path, query)),
    }
  }
