import type { ResourceType } from '../model/model.ts'
import { planCollection } from '../plan/read.ts'
import { readQuery } from '../request/query.ts'
import { type Endpoint, placeOf } from './endpoint.ts'

/** `GET /persons`: resources of a type. */
export const getCollection =
  (resource: ResourceType): Endpoint =>
  async (call, house) => {
    const query = readQuery(call.search)
    const plan = planCollection(house.model, query, { resource })
    const rows = await house.store.read(plan)
    return {
      status: 200,
      body: house.documents.collection(
        plan,
        rows,
        placeOf(call, house.base + resource.path, query),
      ),
    }
  }
