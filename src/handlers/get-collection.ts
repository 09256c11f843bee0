import { read } from '../lifecycle/read.ts'
import type { Model, ResourceType } from '../model/model.ts'
import { readQuery } from '../parse/query.ts'
import { planCollection } from '../plan/read.ts'
import { rememberPlans } from '../plan/shape.ts'
import { byTemplate } from '../plan/template.ts'
import type { Endpoint } from './handler.ts'

/** `GET /persons`: resources of a type. */
export function getCollection(model: Model, resource: ResourceType): Endpoint {
  const planOf = rememberPlans(
    byTemplate((search) => planCollection(model, readQuery(search), { resource })),
  )
  return async ({ search, origin, caller, signal }, { store, documents, base }) => {
    const plan = planOf(search)
    const rows = await read(plan, undefined, { model, store, caller, signal })
    return {
      status: 200,
      body: documents.collection(plan, rows, { origin, path: base + resource.path }),
    }
  }
}
