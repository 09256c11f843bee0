import type { ResourceType } from '../model/model.ts'
import { planUpdate } from '../plan/body.ts'
import { planOne } from '../plan/read.ts'
import { pathId } from '../plan/target.ts'
import { readResource } from '../request/body.ts'
import { readQuery } from '../request/query.ts'
import { type Endpoint, placeOf, resourcePath } from './endpoint.ts'

/** `PATCH /persons/1`: attributes and relationships, all or nothing. */
export const update =
  (resource: ResourceType): Endpoint =>
  async (call, house) => {
    const id = pathId(resource, call.id)
    const query = readQuery(call.search)
    const answer = planOne(house.model, query, { resource, id })
    const plan = planUpdate(house.model, readResource(call.body, true), resource, id)
    const { rows } = await house.store.write(plan, answer)
    return {
      status: 200,
      body: house.documents.one(
        answer,
        rows,
        placeOf(call, resourcePath(house, resource, id), query),
      ),
    }
  }
