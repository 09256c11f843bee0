import type { JsonSchema } from '../model/kinds.ts'
import type { Model, ResourceType } from '../model/model.ts'
import { createTypeNames } from './component-names.ts'
import { describeSchemas } from './describe-api.ts'
import { arrayOf, createReference, openObject, selectReferenced } from './schema.ts'

const definitions = '#/$defs/'

/**
 * Describes a resource type as a JSON Schema of its own: the documents whose primary data are resources of the type. `$defs`
 * has the resource object as responses contain it (`person`), and as a create (`person.new`) and an update (`person.update`)
 * send it.
 *
 * @param prefix - the beginning of every path; may be empty
 * @see https://json-schema.org/draft/2020-12/schema
 */
export function describeResource(model: Model, resource: ResourceType, prefix: string): JsonSchema {
  const { type, path, description } = resource
  const nameType = createTypeNames(model)
  const ref = createReference(definitions)
  const schemas = {
    ...describeSchemas({ model, prefix, nameType, ref }),
    // Other types have schemas of their own.
    'jsonapi.included': arrayOf(
      openObject({ type: { type: 'string' }, id: { type: 'string' } }, ['type', 'id']),
    ),
  }
  const name = nameType(type)
  const documents = ['documentOrNull', 'collection'].map((suffix) => ref(`${name}.${suffix}`))
  const bodies = ['new', 'update'].map((suffix) => ref(`${name}.${suffix}`))
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `${prefix}${path}.schema.json`,
    title: type,
    ...(description !== undefined && { description }),
    anyOf: documents,
    $defs: selectReferenced([documents, bodies], schemas, definitions),
  }
}
