import type { Model, RelationshipField, ResourceType } from '../model/model.ts'
import { create } from './create.ts'
import type { Endpoint } from './endpoint.ts'
import { getCollection } from './get-collection.ts'
import { getRelatedCollection, getRelatedResource } from './get-related.ts'
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
      {
        path: resource.path,
        methods: { GET: getCollection(model, resource), POST: create(model, resource) },
      },
      {
        path: one,
        methods: {
          GET: getResource(model, resource),
          PATCH: update(model, resource),
          DELETE: remove(model, resource),
        },
      },
    )
    for (const field of resource.fields.values()) {
      if (field.is === 'relationship')
        routes.push(...relationshipRoutes(model, resource, field, one))
    }
  }
  return routes
}

function relationshipRoutes(
  model: Model,
  resource: ResourceType,
  field: RelationshipField,
  one: string,
): Route[] {
  const related: Route['methods'] = field.many
    ? { GET: getRelatedCollection(model, resource, field), POST: create(model, resource, field) }
    : { GET: getRelatedResource(model, resource, field) }
  return [
    { path: `${one}/${field.name}`, methods: related },
    {
      path: `${one}/relationships/${field.name}`,
      methods: {
        GET: getRelationship(model, resource, field),
        PATCH: writeRelationship(model, resource, field, 'replace'),
        POST: writeRelationship(model, resource, field, 'add'),
        DELETE: writeRelationship(model, resource, field, 'remove'),
      },
    },
  ]
}
