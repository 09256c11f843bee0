import { mayHideRow } from '../model/hides-rows.ts'
import type { JsonSchema } from '../model/kinds.ts'
import {
  type AttributeField,
  findInverse,
  getResourceType,
  listRelationships,
  type Model,
  type RelationshipField,
  type ResourceType,
} from '../model/model.ts'
import { isSentByClients } from '../model/written-fields.ts'
import { nameField } from './component-names.ts'
import type { Examples } from './read-examples.ts'
import { arrayOf, objectOf, openObject, orNull, type Reference, type Schemas } from './schema.ts'
import {
  describeIgnoredValue,
  describeReturnedValue,
  describeSentValue,
  type FieldGroups,
  groupAttributes,
  makeExample,
  makeReturnedAttributes,
  makeSentAttributes,
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
 *   `person.toOne`, `person.requiredToOne` and `person.toMany`, the relationships to it in responses, and `person.toOneInput`,
 *   `person.requiredToOneInput` and `person.toManyInput`, those in bodies; `person.computers.linked.new`, as clients create it at the address
 *   of a relationship that the new resource must have
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
    ...Object.fromEntries(
      listRelationships(resource).flatMap((field) => {
        const linked = findRequiredInverse(context.model, resource, field)
        const related = context.model.types.get(field.to)
        return linked && related
          ? [
              [
                `${nameField(resource, field.name, nameType)}.linked.new`,
                describeNew(related, context, linked),
              ],
            ]
          : []
      }),
    ),
    [`${name}.update`]: describeUpdate(resource, context),
    [`${name}.attributes`]: members.attributes,
    [`${name}.relationships`]: members.relationships,
    [`${name}.identifier`]: openObject({ type: { const: resource.type }, id: { type: 'string' } }, [
      ...['type', 'id'],
    ]),
    [`${name}.toOne`]: objectOf({ links, data: toOne }, ['links']),
    [`${name}.requiredToOne`]: objectOf({ links, data: identifier }, ['links']),
    [`${name}.toMany`]: objectOf({ links, data: arrayOf(identifier), meta: ref('jsonapi.count') }, [
      'links',
    ]),
    [`${name}.toOneInput`]: openObject({ data: toOne }),
    [`${name}.requiredToOneInput`]: openObject({ data: identifier }),
    [`${name}.toManyInput`]: openObject({ data: arrayOf(identifier) }),
  }
}

function describeReturned(resource: ResourceType, context: SchemaContext) {
  const { model, prefix, nameType, ref, examples = {}, readable: types } = context
  const { description, path } = resource
  const stored = examples[resource.type]
  const { readable } = groupDescribed(resource, types)
  const relationships = types.includes(resource.type) ? listRelationships(resource) : []
  const attributes = readable.map((field) => [field.name, describeReturnedValue(field)] as const)
  const links = relationships.map(
    (field) =>
      [
        field.name,
        describe(field, ref(nameRelationship(field, isReturnedNull(model, field), nameType))),
      ] as const,
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

/** Whether responses may have null for a to-one relationship: also where its resource does not exist for the request. */
export function isReturnedNull(model: Model, field: RelationshipField): boolean {
  const related = getResourceType(model, field.to)
  return field.isNullable || field.isEnforced === false || mayHideRow(model, related)
}

/** Whether clients may send null. An update may send back the null of a response. */
export function isSentNull(model: Model, { acceptsNull, to }: RelationshipField): boolean {
  return acceptsNull || mayHideRow(model, getResourceType(model, to))
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
  isNullable: boolean,
  nameType: SchemaContext['nameType'],
): string {
  const toOne = isNullable ? 'toOne' : 'requiredToOne'
  return `${nameType(to)}.${many ? 'toMany' : toOne}`
}

function describe({ description }: RelationshipField, schema: JsonSchema): JsonSchema {
  return description === undefined ? schema : { ...schema, description }
}

/** @param linked - the relationship that the address of the create sets; absent for that of the collection */
function describeNew(
  resource: ResourceType,
  context: SchemaContext,
  linked?: RelationshipField,
): JsonSchema {
  const { type, id, ids } = resource
  const { writable } = groupAttributes(resource)
  const required = writable.filter((field) => field.required && field.makeDefault === undefined)
  const needed = listNeeded(resource).filter(({ name }) => name !== linked?.name)
  const sendsId = ids.fromClient !== 'forbidden'
  const members = [
    ...(ids.fromClient === 'required' ? ['id'] : []),
    ...(required.length > 0 ? ['attributes'] : []),
    ...(needed.length > 0 ? ['relationships'] : []),
  ]
  const attributed = addAttributes({ type, ...(sendsId && { id: makeExample(id.kind) }) }, writable)
  return describeSent(resource, context, {
    id: ids.fromClient === 'optional' ? orNull(id.kind.schema) : sendsId && id.kind.schema,
    required: ['type', ...members],
    requiredAttributes: required.map(({ name }) => name),
    requiredRelationships: needed.map(({ name }) => name),
    example: addRelationships(attributed, needed, context),
  })
}

/** The relationships that a create must send: not those that the id of the client sets. */
function listNeeded(resource: ResourceType): RelationshipField[] {
  const { id, ids } = resource
  const known: readonly string[] = ids.fromClient === 'forbidden' ? [] : id.columns
  return listRelationships(resource).filter(
    (field) =>
      field.required &&
      field.isWritable &&
      !field.isDenied &&
      !field.link.ownKey.every((column) => known.includes(column)),
  )
}

/** Returns the relationship that a create at the address of another one need not send, although others must. */
export function findRequiredInverse(
  model: Model,
  resource: ResourceType,
  relationship: RelationshipField,
): RelationshipField | undefined {
  const related = model.types.get(relationship.to)
  const inverse = findInverse(model, resource, relationship)
  return related && listNeeded(related).find((field) => field === inverse)
}

/** Adds relationships to an example, if there are any. Of some kinds of ids no value can be made up. */
function addRelationships(
  example: object,
  fields: readonly RelationshipField[],
  { model }: SchemaContext,
): object {
  const entries = fields.map(({ name, to }) => {
    const related = model.types.get(to)
    return [name, { data: { type: to, id: related && makeExample(related.id.kind) } }] as const
  })
  const isComplete = entries.every(([, { data }]) => data.id !== undefined)
  return entries.length > 0 && isComplete
    ? { ...example, relationships: Object.fromEntries(entries) }
    : example
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
    requiredRelationships: [],
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
  readonly requiredRelationships: readonly string[]
  readonly example: object
}

/** The server ignores members of a resource object that JSON:API does not define, but no attributes. */
function describeSent(
  resource: ResourceType,
  { nameType, ref, readable }: SchemaContext,
  { id, required, requiredAttributes, requiredRelationships, example }: SentResource,
): JsonSchema {
  const name = nameType(resource.type)
  const { writable, ignored } = groupDescribed(resource, readable)
  const withRequired = (schema: JsonSchema, names: readonly string[]): JsonSchema =>
    names.length === 0 ? schema : { allOf: [schema], required: names }
  const properties = {
    type: { const: resource.type },
    ...(id && { id }),
    ...(writable.length + ignored.length > 0 && {
      attributes: withRequired(ref(`${name}.attributes`), requiredAttributes),
    }),
    ...(listRelationships(resource).length > 0 && {
      relationships: withRequired(ref(`${name}.relationships`), requiredRelationships),
    }),
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
  { model, nameType, ref, readable }: SchemaContext,
): Readonly<Record<'attributes' | 'relationships', JsonSchema>> {
  const { writable, ignored } = groupDescribed(resource, readable)
  const attributes = [
    ...writable.map((field) => [field.name, describeSentValue(field)] as const),
    ...ignored.map((field) => [field.name, describeIgnoredValue(field)] as const),
  ]
  const allowed = listRelationships(resource).filter(({ isDenied }) => !isDenied)
  const relationships = allowed.map((field) => {
    const input = ref(`${nameRelationship(field, isSentNull(model, field), nameType)}Input`)
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
