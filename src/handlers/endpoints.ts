import { type Model, type RelationshipField, type ResourceType, typeNamed } from '../model/model.ts'
import { create } from './create.ts'
import { removeResource } from './delete.ts'
import { getCollection } from './get-collection.ts'
import { getRelatedCollection, getRelatedResource } from './get-related.ts'
import { getRelationship } from './get-relationship.ts'
import { getResource } from './get-resource.ts'
import type { Endpoint } from './handler.ts'
import { home } from './root.ts'
import { update } from './update.ts'
import { writeRelationship } from './write-relationship.ts'

/** A method of a path. GET answers HEAD too; OPTIONS and 405 are made from the table. */
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** One path and what its methods do; `:id` stands for the id. */
export interface Route {
  readonly path: string
  readonly methods: Readonly<Partial<Record<Method, Endpoint>>>
  /** The methods that the path would have, were what it leads to not for reading alone (JSON:API 1.0: 403). */
  readonly forbidden: readonly Method[]
}

/** Every path of a service, without its base path (seed §4, SERVICE §4). */
export function routesOf(model: Model): Route[] {
  const routes: Route[] = [{ path: '/', methods: { GET: home }, forbidden: [] }]
  for (const resource of model.types.values()) {
    const one = `${resource.path}/:id`
    routes.push(
      route(resource.path, getCollection(model, resource), resource.writes, {
        POST: create(model, resource),
      }),
      route(one, getResource(model, resource), resource.writes, {
        PATCH: update(model, resource),
        DELETE: removeResource(model, resource),
      }),
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
  const related = field.many
    ? route(
        `${one}/${field.name}`,
        getRelatedCollection(model, resource, field),
        field.writes && typeNamed(model, field.to).writes,
        { POST: create(model, resource, field) },
      )
    : route(`${one}/${field.name}`, getRelatedResource(model, resource, field), true, {})
  const itself = route(
    `${one}/relationships/${field.name}`,
    getRelationship(model, resource, field),
    field.writes,
    {
      PATCH: writeRelationship(model, resource, field, 'replace'),
      POST: writeRelationship(model, resource, field, 'add'),
      DELETE: writeRelationship(model, resource, field, 'remove'),
    },
  )
  return [related, itself]
}

/** A path that is read, and written where that is allowed. */
function route(path: string, read: Endpoint, isWritten: boolean, writes: Route['methods']): Route {
  if (isWritten) return { path, methods: { GET: read, ...writes }, forbidden: [] }
  // Only methods stand in the table.
  return { path, methods: { GET: read }, forbidden: Object.keys(writes) as Method[] }
}
