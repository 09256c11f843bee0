import type { Model } from '../model/model.ts'
import { create } from './create.ts'
import type { Endpoint } from './endpoint.ts'
import { getCollection } from './get-collection.ts'
import { getRelated } from './get-related.ts'
import { getRelationship } from './get-relationship.ts'
import { getResource } from './get-resource.ts'
import { home } from './home.ts'
import { remove } from './remove.ts'
import { update } from './update.ts'
import { writeRelationship } from './write-relationship.ts'

/** A method of a path. GET answers HEAD too; OPTIONS and 405 are made from the table. */
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** One path and what its methods do; `:id` stands for the id. */
export interface Route {
  readonly path: string
  readonly methods: Readonly<Partial<Record<Method, Endpoint>>>
}

/** Every path of a service, without its base path (seed §4, SERVICE §4). */
export function routesOf(model: Model): Route[] {
  const routes: Route[] = [{ path: '/', methods: { GET: home } }]
  for (const resource of model.types.values()) {
    const one = `${resource.path}/:id`
    routes.push(
      { path: resource.path, methods: { GET: getCollection(resource), POST: create(resource) } },
      {
        path: one,
        methods: { GET: getResource(resource), PATCH: update(resource), DELETE: remove(resource) },
      },
    )
    for (const field of resource.fields.values()) {
      if (field.is !== 'relationship') continue
      const related = getRelated(resource, field)
      routes.push(
        {
          path: `${one}/${field.name}`,
          methods: field.many ? { GET: related, POST: create(resource, field) } : { GET: related },
        },
        {
          path: `${one}/relationships/${field.name}`,
          methods: {
            GET: getRelationship(resource, field),
            PATCH: writeRelationship(resource, field, 'replace'),
            POST: writeRelationship(resource, field, 'add'),
            DELETE: writeRelationship(resource, field, 'remove'),
          },
        },
      )
    }
  }
  return routes
}
