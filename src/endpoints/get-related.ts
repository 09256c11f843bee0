import type { RelationshipField, ResourceType } from '../model/model.ts'
import { planCollection, planOne } from '../plan/read.ts'
import { parentParameter, pathId } from '../plan/target.ts'
import { readQuery } from '../request/query.ts'
import { type Endpoint, placeOf, relatedPath } from './endpoint.ts'

/** `GET /persons/1/computers`, `GET /computers/1/owner`: what a relationship leads to. */
export const getRelated =
  (resource: ResourceType, relationship: RelationshipField): Endpoint =>
  async (call, house) => {
    const id = pathId(resource, call.id, parentParameter(resource, relationship))
    const query = readQuery(call.search)
    const plan = (relationship.many ? planCollection : planOne)(house.model, query, {
      resource,
      id,
      relationship,
    })
    const rows = await house.store.read(plan)
    const tell = relationship.many ? house.documents.collection : house.documents.one
    return {
      status: 200,
      body: tell(plan, rows, placeOf(call, relatedPath(house, resource, id, relationship), query)),
    }
  }
