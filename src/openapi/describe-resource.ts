import { listAllowedPaths } from '../handlers/allowed-paths.ts'
import type { JsonSchema } from '../model/kinds.ts'
import { getResourceType } from '../model/model.ts'
import type { Rights } from '../plan/access/rights.ts'
import { createTypeNames } from './component-names.ts'
import { describeSchemas, listReadable } from './describe-api.ts'
import { arrayOf, createReference, openObject, selectReferenced } from './schema.ts'
import type { Steps } from './steps.ts'

const definitions = '#/$defs/'

/**
 * Describes a resource type as a JSON Schema of its own: the documents whose primary data are resources of the type. `$defs`
 * has the resource object as responses contain it (`person`), and as a create (`person.new`) and an update (`person.update`)
 * send it, if the identity may do so.
 *
 * @param rights - of the identity that gets the schema
 * @param prefix - the beginning of every path; may be empty
 * @see https://json-schema.org/draft/2020-12/schema
 */
export function* describeResource(rights: Rights, type: string, prefix: string): Steps<JsonSchema> {
  const { model } = rights
  const { path, description } = getResourceType(model, type)
  const nameType = createTypeNames(model)
  const ref = createReference(definitions)
  const schemas = {
    ...(yield* describeSchemas({ model, prefix, nameType, ref, readable: listReadable(rights) })),
    // Other types have schemas of their own.
    'jsonapi.included': arrayOf(
      openObject({ type: { type: 'string' }, id: { type: 'string' } }, ['type', 'id']),
    ),
  }
  const name = nameType(type)
  const documents = ['documentOrNull', 'collection'].map((suffix) => ref(`${name}.${suffix}`))
  const bodies = listSentSchemas(rights, type).map((suffix) => ref(`${name}.${suffix}`))
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `${prefix}${path}.schema.json`,
    title: type,
    ...(description !== undefined && { description }),
    anyOf: documents,
    $defs: yield* selectReferenced([documents, bodies], schemas, definitions),
  }
}

/** Lists the schemas of the resources of a type that an identity may send. */
function listSentSchemas(rights: Rights, type: string): readonly ('new' | 'update')[] {
  const paths = listAllowedPaths(rights)
  const canUpdate = paths.some(({ target, methods }) => {
    return target.is === 'resource' && target.resource.type === type && methods.includes('PATCH')
  })
  const canCreate = paths.some(({ target, methods }) => {
    if (target.is !== 'collection' && target.is !== 'related') return false
    const created = target.is === 'related' ? target.relationship.to : target.resource.type
    return created === type && methods.includes('POST')
  })
  return [...(canCreate ? ['new' as const] : []), ...(canUpdate ? ['update' as const] : [])]
}
