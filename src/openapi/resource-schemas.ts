import type { JsonSchema } from '../model/kinds.ts'
import {
  type AttributeField,
  isSentByClients,
  listRelationships,
  type Model,
  type RelationshipField,
  type ResourceType,
} from '../model/model.ts'
import { makeExample, makeReturnedAttributes, makeSentAttributes } from './example-values.ts'
import type { Examples } from './read-examples.ts'
import { arrayOf, objectOf, openObject, orNull, type Reference, type Schemas } from './schema.ts'
import {
  describeIgnoredValue,
  describeReturnedValue,
  describeSentValue,
  type FieldGroups,
  groupAttributes,
} from './value-schemas.ts'

/** What the schemas of a model are made with. */
export interface SchemaContext {
  readonly model: Model
  /** The beginning of every path; may be empty. */
  readonly prefix: string
  /** Returns the beginning of the names of the schemas of a type. */
  readonly nameType: (type: string) => string
  /** Refers to a schema by its name. */
  readonly ref: Reference
  /** Stored resources by type; other types have examples that are made by kind. */
  readonly examples?: Examples | undefined
  /** The types whose resources documents may contain; of others they have identifiers only, after a write. */
  readonly readable: readonly string[]
}

/**
 * Describes the resource objects, identifiers and linkage of a type.
 *
 * @returns `person`, as responses have it; `person.new` and `person.update`, as clients send it, with
 *   `person.attributes` and `person.relationships`; `person.identifier`;
 *   `person.toOne` and `person.toMany`, the relationships to it in responses, and `person.toOneInput` and
 *   `person.toManyInput`, those in bodies
 * @see https://jsonapi.org/format/1.0/#document-resource-objects
 */
export function describeResourceObjects(resource: ResourceType, context: SchemaContext): Schemas {
  const { ref, nameType } = context
  const name = nameType(resource.type)
  const identifier = ref(`${name}.identifier`)
  const toOne = { anyOf: [identifier, { type: 'null' }] }
  const members = describeMembers(resource, context)
  const links = ref('jsonapi.relationshipLinks')
  return {
    [name]: describeReturned(resource, context),
    [`${name}.new`]: describeNew(resource, context),
    [`${name}.update`]: describeUpdate(resource, context),
    [`${name}.attributes`]: members.attributes,
    [`${name}.relationships`]: members.relationships,
    [`${name}.identifier`]: openObject({ type: { const: resource.type }, id: { type: 'string' } }, [
      ...['type', 'id'],
    ]),
    [`${name}.toOne`]: objectOf({ links, data: toOne }, ['links']),
    [`${name}.toMany`]: objectOf({ links, data: arrayOf(identifier), meta: ref('jsonapi.count') }, [
      'links',
    ]),
    [`${name}.toOneInput`]: openObject({ data: toOne }),
    [`${name}.toManyInput`]: openObject({ data: arrayOf(identifier) }),
  }
}

function describeReturned(
  resource: ResourceType,
  { prefix, nameType, ref, examples = {}, readable: types }: SchemaContext,
) {
  const { description, path } = resource
  const stored = examples[resource.type]
  const { readable } = groupDescribed(resource, types)
  const relationships = types.includes(resource.type) ? listRelationships(resource) : []
  const attributes = readable.map((field) => [field.name, describeReturnedValue(field)] as const)
  const links = relationships.map(
    (field) => [field.name, describe(field, ref(nameRelationship(field, nameType)))] as const,
  )
  const id = stored?.id ?? makeExample(resource.id.kind)
  const example = {
    type: resource.type,
    id,
    ...(attributes.length > 0 && {
      attributes: { ...makeReturnedAttributes(readable), ...stored?.attributes },
    }),
    links: { self: `${prefix}${path}/${encodeURIComponent(String(id))}` },
  }
  const properties = {
    type: { const: resource.type },
    id: resource.id.kind.schema,
    ...(attributes.length > 0 && { attributes: objectOf(Object.fromEntries(attributes)) }),
    ...(links.length > 0 && { relationships: objectOf(Object.fromEntries(links)) }),
    links: ref('jsonapi.selfLink'),
  }
  return {
    ...objectOf(properties, ['type', 'id', 'links']),
    ...(description !== undefined && { description }),
    // Of some kinds of ids no value can be made up.
    ...(id !== undefined && { examples: [example] }),
  }
}

/**
 * Groups the attributes that a description names. Of a type that the identity never reads it has those that clients write.
 * @param types - the types that the identity reads
 */
function groupDescribed(resource: ResourceType, types: readonly string[]): FieldGroups {
  const groups = groupAttributes(resource)
  return types.includes(resource.type) ? groups : { ...groups, readable: [], ignored: [] }
}

/** @returns e.g. `computer.toMany` */
function nameRelationship(
  { many, to }: RelationshipField,
  nameType: SchemaContext['nameType'],
): string {
  return `${nameType(to)}.${many ? 'toMany' : 'toOne'}`
}

function describe({ description }: RelationshipField, schema: JsonSchema): JsonSchema {
  return description === undefined ? schema : { ...schema, description }
}

function describeNew(resource: ResourceType, context: SchemaContext): JsonSchema {
  const { type, id, ids } = resource
  const { writable } = groupAttributes(resource)
  const required = writable.filter((field) => field.required && field.makeDefault === undefined)
  const sendsId = ids.fromClient !== 'forbidden'
  const members = [
    ...(ids.fromClient === 'required' ? ['id'] : []),
    ...(required.length > 0 ? ['attributes'] : []),
  ]
  return describeSent(resource, context, {
    id: ids.fromClient === 'optional' ? orNull(id.kind.schema) : sendsId && id.kind.schema,
    required: ['type', ...members],
    requiredAttributes: required.map(({ name }) => name),
    example: addAttributes({ type, ...(sendsId && { id: makeExample(id.kind) }) }, writable),
  })
}

function describeUpdate(resource: ResourceType, context: SchemaContext): JsonSchema {
  const { type, id } = resource
  const { writable } = groupAttributes(resource)
  const exampleId = context.examples?.[type]?.id ?? makeExample(id.kind)
  // The server may ignore an id that differs from that of the path, so a schema of it would promise too much.
  return describeSent(resource, context, {
    id: {},
    required: ['type', 'id'],
    requiredAttributes: [],
    // An update need not send all attributes.
    example: addAttributes({ type, id: exampleId }, writable.slice(0, 1)),
  })
}

/** What distinguishes the resource of a create from that of an update. */
interface SentResource {
  /** The schema of `id`; false if clients do not send one. */
  readonly id: JsonSchema | false
  readonly required: readonly string[]
  readonly requiredAttributes: readonly string[]
  readonly example: object
}

/** The server ignores members of a resource object that JSON:API does not define, but no attributes. */
function describeSent(
  resource: ResourceType,
  { nameType, ref, readable }: SchemaContext,
  { id, required, requiredAttributes, example }: SentResource,
): JsonSchema {
  const name = nameType(resource.type)
  const { writable, ignored } = groupDescribed(resource, readable)
  const attributes = ref(`${name}.attributes`)
  const properties = {
    type: { const: resource.type },
    ...(id && { id }),
    ...(writable.length + ignored.length > 0 && {
      attributes:
        requiredAttributes.length === 0
          ? attributes
          : { allOf: [attributes], required: requiredAttributes },
    }),
    ...(listRelationships(resource).length > 0 && { relationships: ref(`${name}.relationships`) }),
  }
  const isComplete = required.every((member) => Reflect.get(example, member) !== undefined)
  return { ...openObject(properties, required), ...(isComplete && { examples: [example] }) }
}

/** Adds attributes to an example, if there are any. */
function addAttributes(example: object, fields: readonly AttributeField[]): object {
  const attributes = makeSentAttributes(fields)
  return Object.keys(attributes).length > 0 ? { ...example, attributes } : example
}

/** Describes `attributes` and `relationships` in the body of a create or an update. */
function describeMembers(
  resource: ResourceType,
  { nameType, ref, readable }: SchemaContext,
): Readonly<Record<'attributes' | 'relationships', JsonSchema>> {
  const { writable, ignored } = groupDescribed(resource, readable)
  const attributes = [
    ...writable.map((field) => [field.name, describeSentValue(field)] as const),
    ...ignored.map((field) => [field.name, describeIgnoredValue(field)] as const),
  ]
  const allowed = listRelationships(resource).filter(({ isDenied }) => !isDenied)
  const relationships = allowed.map((field) => {
    const input = ref(`${nameRelationship(field, nameType)}Input`)
    return [
      field.name,
      describe(field, isSentByClients(field) ? input : { readOnly: true }),
    ] as const
  })
  return {
    attributes: objectOf(Object.fromEntries(attributes)),
    relationships: objectOf(Object.fromEntries(relationships)),
  }
}
