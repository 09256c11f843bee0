import { getTypeDescription, type ModelDescription } from '../describe/describe-model.ts'
import type {
  AttributeDescription,
  RelationshipDescription,
  TypeDescription,
} from '../describe/describe-type.ts'
import type { JsonSchema } from '../model/kinds/kinds.ts'
import { nameField } from './component-names.ts'
import type { Examples } from './read-examples.ts'
import { arrayOf, objectOf, openObject, orNull, type Reference, type Schemas } from './schema.ts'
import {
  describeIgnoredValue,
  describeReturnedValue,
  describeSentValue,
  type FieldGroups,
  groupAttributes,
  isSent,
  makeExample,
  makeReturnedAttributes,
  makeSentAttributes,
} from './value-schemas.ts'

/** What the schemas of a model are made with. */
export interface SchemaContext {
  readonly described: ModelDescription
  /** The beginning of every path; may be empty. */
  readonly prefix: string
  /** Returns the beginning of the names of the schemas of a type. */
  readonly nameType: (type: string) => string
  /** Refers to a schema by its name. */
  readonly ref: Reference
  /** Stored resources by type; other types have examples that are made by kind. */
  readonly examples?: Examples | undefined
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
export function describeResourceObjects(type: TypeDescription, context: SchemaContext): Schemas {
  const { ref, nameType, described } = context
  const name = nameType(type.type)
  const identifier = ref(`${name}.identifier`)
  const toOne = { anyOf: [identifier, { type: 'null' }] }
  const members = describeMembers(type, context)
  const links = ref('jsonapi.relationshipLinks')
  return {
    [name]: describeReturned(type, context),
    [`${name}.new`]: describeNew(type, context),
    ...Object.fromEntries(
      type.relationships.flatMap((field) => {
        const linked = findRequiredInverse(field, described)
        if (linked === undefined) return []
        const id = `${nameField(type, field.name, nameType)}.linked.new`
        return [[id, describeNew(getTypeDescription(described, field.to), context, linked)]]
      }),
    ),
    [`${name}.update`]: describeUpdate(type, context),
    [`${name}.attributes`]: members.attributes,
    [`${name}.relationships`]: members.relationships,
    [`${name}.identifier`]: openObject({ type: { const: type.type }, id: { type: 'string' } }, [
      ...['type', 'id'],
    ]),
    [`${name}.toOne`]: objectOf({ links, data: toOne }, ['links']),
    [`${name}.requiredToOne`]: objectOf({ links, data: identifier }, ['links']),
    [`${name}.toMany`]: objectOf(
      {
        links: ref('jsonapi.toManyLinks'),
        data: arrayOf(identifier),
        meta: ref('jsonapi.relationshipMeta'),
      },
      ['links'],
    ),
    [`${name}.toOneInput`]: openObject({ data: toOne }),
    [`${name}.requiredToOneInput`]: openObject({ data: identifier }),
    [`${name}.toManyInput`]: openObject({ data: arrayOf(identifier) }),
  }
}

function describeReturned(described: TypeDescription, context: SchemaContext) {
  const { prefix, nameType, ref, examples = {} } = context
  const { type, description, path, isReadable } = described
  const stored = examples[type]
  const { readable } = groupDescribed(described)
  const relationships = isReadable ? described.relationships : []
  const attributes = readable.map((field) => [field.name, describeReturnedValue(field)] as const)
  const links = relationships.map(
    (field) =>
      [
        field.name,
        describe(field, ref(nameRelationship(field, field.isNullable, nameType))),
      ] as const,
  )
  const id = stored?.id ?? makeExample(described.id.kind)
  const example = {
    type,
    id,
    ...(attributes.length > 0 && {
      attributes: { ...makeReturnedAttributes(readable), ...stored?.attributes },
    }),
    links: { self: `${prefix}${path}/${encodeURIComponent(String(id))}` },
  }
  const properties = {
    type: { const: type },
    id: described.id.kind.schema,
    ...(attributes.length > 0 && { attributes: objectOf(Object.fromEntries(attributes)) }),
    ...(links.length > 0 && { relationships: objectOf(Object.fromEntries(links)) }),
    links: ref('jsonapi.selfLink'),
    meta: ref('jsonapi.resourceMeta'),
  }
  return {
    ...objectOf(properties, ['type', 'id', 'links']),
    ...(description !== undefined && { description }),
    // Of some kinds of ids no value can be made up.
    ...(id !== undefined && { examples: [example] }),
  }
}

/** Whether clients may send null. An update may send back the null of a response. */
export function isSentNull({ acceptsNull, mayBeHidden }: RelationshipDescription): boolean {
  return acceptsNull || mayBeHidden
}

/** Groups the attributes that a description names. Of a type that the identity never reads it has those that clients write. */
function groupDescribed(type: TypeDescription): FieldGroups {
  const groups = groupAttributes(type)
  return type.isReadable ? groups : { ...groups, readable: [], ignored: [] }
}

/** @returns e.g. `computer.toMany` */
function nameRelationship(
  { many, to }: RelationshipDescription,
  isNullable: boolean,
  nameType: SchemaContext['nameType'],
): string {
  const toOne = isNullable ? 'toOne' : 'requiredToOne'
  return `${nameType(to)}.${many ? 'toMany' : toOne}`
}

function describe({ description }: RelationshipDescription, schema: JsonSchema): JsonSchema {
  return description === undefined ? schema : { ...schema, description }
}

/** @param linked - the relationship that the address of the create sets; absent for that of the collection */
function describeNew(
  described: TypeDescription,
  context: SchemaContext,
  linked?: RelationshipDescription,
): JsonSchema {
  const { type, id, attributes, relationships } = described
  const sent = attributes.filter(({ isCreatable }) => isCreatable)
  const required = sent.filter(({ isRequired }) => isRequired)
  const needed = relationships.filter((field) => field.isRequired && field.name !== linked?.name)
  const sendsId = id.fromClient !== 'forbidden'
  const members = [
    ...(id.fromClient === 'required' ? ['id'] : []),
    ...(required.length > 0 ? ['attributes'] : []),
    ...(needed.length > 0 ? ['relationships'] : []),
  ]
  const attributed = addAttributes({ type, ...(sendsId && { id: makeExample(id.kind) }) }, sent)
  return describeSent(described, context, {
    id: id.fromClient === 'optional' ? orNull(id.kind.schema) : sendsId && id.kind.schema,
    required: ['type', ...members],
    requiredAttributes: required.map(({ name }) => name),
    requiredRelationships: needed.map(({ name }) => name),
    example: addRelationships(attributed, needed, context),
  })
}

/** Returns the relationship that a create at the address of another one need not send, although others must. */
export function findRequiredInverse(
  { to, inverse }: RelationshipDescription,
  described: ModelDescription,
): RelationshipDescription | undefined {
  const { relationships } = getTypeDescription(described, to)
  return relationships.find(({ name, isRequired }) => isRequired && name === inverse)
}

/** Adds relationships to an example, if there are any. Of some kinds of ids no value can be made up. */
function addRelationships(
  example: object,
  fields: readonly RelationshipDescription[],
  { described }: SchemaContext,
): object {
  const entries = fields.map(({ name, to }) => {
    const { id } = getTypeDescription(described, to)
    return [name, { data: { type: to, id: makeExample(id.kind) } }] as const
  })
  const isComplete = entries.every(([, { data }]) => data.id !== undefined)
  return entries.length > 0 && isComplete
    ? { ...example, relationships: Object.fromEntries(entries) }
    : example
}

function describeUpdate(described: TypeDescription, context: SchemaContext): JsonSchema {
  const { type, id, attributes } = described
  const sent = attributes.filter(({ isUpdatable }) => isUpdatable)
  const exampleId = context.examples?.[type]?.id ?? makeExample(id.kind)
  // The server may ignore an id that differs from that of the path, so a schema of it would promise too much.
  return describeSent(described, context, {
    id: {},
    required: ['type', 'id'],
    requiredAttributes: [],
    requiredRelationships: [],
    // An update need not send all attributes.
    example: addAttributes({ type, id: exampleId }, sent.slice(0, 1)),
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
  described: TypeDescription,
  { nameType, ref }: SchemaContext,
  { id, required, requiredAttributes, requiredRelationships, example }: SentResource,
): JsonSchema {
  const { type, relationships } = described
  const name = nameType(type)
  const { writable, ignored } = groupDescribed(described)
  const withRequired = (schema: JsonSchema, names: readonly string[]): JsonSchema =>
    names.length === 0 ? schema : { allOf: [schema], required: names }
  const properties = {
    type: { const: type },
    ...(id && { id }),
    ...(writable.length + ignored.length > 0 && {
      attributes: withRequired(ref(`${name}.attributes`), requiredAttributes),
    }),
    ...(relationships.length > 0 && {
      relationships: withRequired(ref(`${name}.relationships`), requiredRelationships),
    }),
  }
  const isComplete = required.every((member) => Reflect.get(example, member) !== undefined)
  return { ...openObject(properties, required), ...(isComplete && { examples: [example] }) }
}

/** Adds attributes to an example, if there are any. */
function addAttributes(example: object, fields: readonly AttributeDescription[]): object {
  const attributes = makeSentAttributes(fields)
  return Object.keys(attributes).length > 0 ? { ...example, attributes } : example
}

/** Describes `attributes` and `relationships` in the body of a create or an update. */
function describeMembers(
  type: TypeDescription,
  { nameType, ref }: SchemaContext,
): Readonly<Record<'attributes' | 'relationships', JsonSchema>> {
  const { writable, ignored } = groupDescribed(type)
  const attributes = [
    ...writable.map((field) => [field.name, describeSentValue(field)] as const),
    ...ignored.map((field) => [field.name, describeIgnoredValue(field)] as const),
  ]
  const allowed = type.relationships.filter(({ isDenied }) => !isDenied)
  const relationships = allowed.map((field) => {
    const input = ref(`${nameRelationship(field, isSentNull(field), nameType)}Input`)
    return [field.name, describe(field, isSent(field) ? input : { readOnly: true })] as const
  })
  return {
    attributes: objectOf(Object.fromEntries(attributes)),
    relationships: objectOf(Object.fromEntries(relationships)),
  }
}
