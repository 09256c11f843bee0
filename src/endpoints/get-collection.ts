import type { Model, ResourceType } from '../model/model.ts'
import { planCollection } from '../plan/read.ts'
import { rememberPlans } from '../plan/shape.ts'
import { readQuery } from '../request/query.ts'
import type { Endpoint } from './endpoint.ts'

/** `GET /persons`: resources of a type. */
export function getCollection(model: Model, resource: ResourceType): Endpoint {
  const planOf = rememberPlans((search) => planCollection(model, readQuery(search), { resource }))
  return async ({ search, origin }, { store, documents, base }) => {
    const plan = planOf(search)
    const rows = await store.read(plan)
    return {
      status: 200,
      body: documents.collection(plan, rows, { origin, path: base + resource.path }),
    }
  }
}
