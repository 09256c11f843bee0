import type { ResourceType } from '../model/model.ts'
import { planOne } from '../plan/read.ts'
import { pathId } from '../plan/target.ts'
import { readQuery } from '../request/query.ts'
import { type Endpoint, placeOf, resourcePath } from './endpoint.ts'

/** `GET /persons/1`: one resource. */
export const getResource =
  (resource: ResourceType): Endpoint =>
  async (call, house) => {
    const id = pathId(resource, call.id)
    const query = readQuery(call.search)
    const plan = planOne(house.model, query, { resource, id })
    const rows = await house.store.read(plan)
    return {
      status: 200,
      body: house.documents.one(
        plan,
        rows,
        placeOf(call, resourcePath(house, resource, id), query),
      ),
    }
  }
