import type { RelationshipField, ResourceType } from '../model/model.ts'
import { planLinkage } from '../plan/read.ts'
import { pathId } from '../plan/target.ts'
import { readQuery } from '../request/query.ts'
import { type Endpoint, placeOf, relatedPath, relationshipPath } from './endpoint.ts'

/** `GET /persons/1/relationships/computers`: the linkage of a relationship. */
export const getRelationship =
  (resource: ResourceType, relationship: RelationshipField): Endpoint =>
  async (call, house) => {
    const id = pathId(resource, call.id)
    const query = readQuery(call.search)
    const plan = planLinkage(house.model, query, { resource, id, relationship })
    const rows = await house.store.read(plan)
    const place = placeOf(call, relationshipPath(house, resource, id, relationship), query)
    const related = relatedPath(house, resource, id, relationship)
    return {
      status: 200,
      body: house.documents.linkage(plan, rows, { ...place, related, many: relationship.many }),
    }
  }
