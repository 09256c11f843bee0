import { listReadableTypes, type ModelDescription } from '../describe/describe-model.ts'
import type { TypeDescription } from '../describe/describe-type.ts'
import type { JsonSchema } from '../model/kinds/kinds.ts'
import type { SchemaContext } from './resource-schemas.ts'
import { arrayOf, objectOf, openObject, orNull, type Schemas } from './schema.ts'

const text: JsonSchema = { type: 'string' }
const link: JsonSchema = { type: 'string', format: 'uri-reference' }

/** A number of resources. */
const count = { type: 'integer', minimum: 0 }

/** The links to other pages of a list; null says that there is none. */
const linkOrNull = orNull(link)
const pages = { first: link, last: link, prev: linkOrNull, next: linkOrNull }

/**
 * Describes the documents whose primary data are resources of a type.
 *
 * @returns `person.document` for one resource, `person.documentOrNull` for the resource of a to-one relationship,
 *   `person.collection` for a list; `person.toOneDocument`, `person.requiredToOneDocument` and `person.toManyDocument` for the linkage of a
 *   relationship
 * @see https://jsonapi.org/format/1.0/#document-top-level
 */
export function describeDocuments(
  { type }: TypeDescription,
  { ref, nameType }: SchemaContext,
): Schemas {
  const name = nameType(type)
  const [one, identifier] = [ref(name), ref(`${name}.identifier`)]
  const document = (base: string, data: JsonSchema): JsonSchema => ({
    allOf: [ref(base)],
    // Tools that generate types look for `required` next to `properties`.
    required: ['data'],
    properties: { data },
    unevaluatedProperties: false,
  })
  const oneOrNull = (schema: JsonSchema) => ({ anyOf: [schema, { type: 'null' }] })
  return {
    [`${name}.document`]: document('jsonapi.document', one),
    [`${name}.documentOrNull`]: document('jsonapi.document', oneOrNull(one)),
    [`${name}.collection`]: document('jsonapi.collection', arrayOf(one)),
    [`${name}.toOneDocument`]: document('jsonapi.toOneDocument', oneOrNull(identifier)),
    [`${name}.requiredToOneDocument`]: document('jsonapi.toOneDocument', identifier),
    [`${name}.toManyDocument`]: document('jsonapi.toManyDocument', arrayOf(identifier)),
  }
}

/** Describes what the documents of every type have in common. */
export function describeCommonSchemas({ described, nameType, ref }: SchemaContext): Schemas {
  const readable = listReadableTypes(described).map(({ type }) => type)
  const both = { self: link, related: link }
  const included = ref('jsonapi.included')
  const jsonapi = ref('jsonapi.object')
  const required = ['data', 'links', 'jsonapi']
  const document = (links: JsonSchema, others: Schemas = {}) =>
    openObject({ included, links, ...others, jsonapi }, required)
  const isModern = described.jsonapi === '1.1'
  const ofProfiles = describeProfiles(described)
  const hasProfiles = described.profiles !== undefined
  const describedby = isModern && { describedby: link }
  // A page between cursors has a profile.
  const ofPage = isModern ? { anyOf: [link, describeTypedLink()] } : link
  const ofOne = hasProfiles ? ofPage : link
  const self = isModern
    ? objectOf({ self: ofOne, ...describedby }, ['self'])
    : ref('jsonapi.selfLink')
  const collection = objectOf({ self: ofPage, ...describedby, ...pages }, ['self'])
  return {
    'jsonapi.relationshipMeta': objectOf({
      count,
      filtered: { const: true, description: 'Whether a filter left out members.' },
      page: {
        ...objectOf({ hasMore: { type: 'boolean' }, total: count }, ['hasMore']),
        description: 'Of linkage that may be a part of the members.',
      },
    }),
    'jsonapi.listMeta': objectOf({
      count,
      page: {
        ...objectOf({
          total: count,
          estimatedTotal: objectOf({ bestGuess: count }, ['bestGuess']),
          rangeTruncated: { type: 'boolean' },
          ...describeOtherPages(),
        }),
        description: 'Of a page between cursors, and of one whose query is too long for links.',
      },
      filtered: {
        const: true,
        description: 'Whether a filter left out members, where the query is too long for links.',
      },
      dryRun: { const: true, description: 'Of an action that was not executed.' },
      ...ofProfiles,
    }),
    'jsonapi.resourceMeta': objectOf({
      version: text,
      page: objectOf({ cursor: text }, ['cursor']),
    }),
    'jsonapi.included': arrayOf(describeIncluded(readable, nameType, ref)),
    'jsonapi.writeMeta': describeWriteMeta(),
    'jsonapi.profileMeta': objectOf(ofProfiles),
    'jsonapi.document': document(self, {
      meta: hasProfiles
        ? { anyOf: [ref('jsonapi.profileMeta'), ref('jsonapi.writeMeta')] }
        : ref('jsonapi.writeMeta'),
    }),
    'jsonapi.collection': openObject(
      { included, links: collection, meta: ref('jsonapi.listMeta'), jsonapi },
      [...required, 'meta'],
    ),
    'jsonapi.toOneDocument': document(
      isModern
        ? objectOf({ ...both, self: ofOne, ...describedby }, ['self', 'related'])
        : ref('jsonapi.relationshipLinks'),
      hasProfiles ? { meta: ref('jsonapi.profileMeta') } : {},
    ),
    'jsonapi.toManyDocument': document(
      objectOf({ ...both, self: ofPage, ...describedby, ...pages }, ['self', 'related']),
      {
        meta: ref('jsonapi.listMeta'),
      },
    ),
    'jsonapi.object': objectOf(
      { version: { const: described.jsonapi }, ...(isModern && { profile: arrayOf(text) }) },
      ['version'],
    ),
    'jsonapi.selfLink': objectOf({ self: link }, ['self']),
    'jsonapi.relationshipLinks': objectOf(both, ['self', 'related']),
    'jsonapi.toManyLinks': objectOf({ ...both, prev: linkOrNull, next: linkOrNull }, [
      ...['self', 'related'],
    ]),
    'jsonapi.message': objectOf({ meta: ref('jsonapi.writeMeta'), jsonapi }, ['meta', 'jsonapi']),
    'jsonapi.root': objectOf(
      {
        meta: openObject({ resources: { type: 'object', additionalProperties: rootEntry } }, [
          'resources',
        ]),
        links: self,
        jsonapi,
      },
      ['meta', 'links', 'jsonapi'],
    ),
    'jsonapi.errors': describeErrors(jsonapi, described),
  }
}

/** Describes the members of `meta` by the profiles of the application. */
function describeProfiles({ profiles = new Map() }: Pick<ModelDescription, 'profiles'>): Schemas {
  return Object.fromEntries(
    [...profiles].map(([uri, { member }]) => {
      const description = `Of the profile ${uri}, if \`Accept\` names it.`
      return [member, { type: 'object', description }]
    }),
  )
}

/** Describes the cursors, or the numbers, of other pages. */
function describeOtherPages(): Schemas {
  const end: JsonSchema = { type: ['string', 'integer'] }
  const cursor: JsonSchema = { type: ['string', 'null'] }
  const number: JsonSchema = { type: ['integer', 'null'] }
  return { first: end, before: cursor, after: cursor, prev: number, next: number, last: end }
}

/** Describes what the response to a write says of its execution. */
function describeWriteMeta(): JsonSchema {
  const byName = (values: JsonSchema) => ({ type: 'object', additionalProperties: values })
  return objectOf(
    {
      message: text,
      replayed: {
        const: true,
        description: 'Of a repeated request whose response was too large to be stored.',
      },
      dryRun: {
        const: true,
        description: 'Nothing was written; the other members say what would.',
      },
      affected: {
        ...byName(objectOf({ created: count, updated: count, deleted: count })),
        description: 'The numbers of rows by type.',
      },
      members: {
        ...byName(byName(objectOf({ added: count, removed: count }, ['added', 'removed']))),
        description: 'The numbers of changed members by type and relationship.',
      },
      wouldCreate: { type: 'object', description: 'The new resource, whose id is not final.' },
    },
    ['message'],
  )
}

/** A resource type in the root document; `relationships` has the related types by name, `parameters` those of the list. */
const rootEntry = objectOf(
  {
    path: link,
    description: text,
    relationships: { type: 'object', additionalProperties: text },
    parameters: {
      type: 'object',
      additionalProperties: objectOf({ kind: text, required: { type: 'boolean' } }, [
        'kind',
        'required',
      ]),
    },
  },
  ['path', 'relationships'],
)

/** Any resource can be included in the documents of most types: by relationships of relationships. */
function describeIncluded(
  types: readonly string[],
  nameType: SchemaContext['nameType'],
  ref: SchemaContext['ref'],
): JsonSchema {
  const [first, ...others] = types.map((type) => ref(nameType(type)))
  if (first === undefined) return { type: 'object' }
  return others.length === 0 ? first : { anyOf: [first, ...others] }
}

/** https://jsonapi.org/format/1.1/#document-links-link-object */
function describeTypedLink(): JsonSchema {
  return objectOf({ href: link, type: text }, ['href', 'type'])
}

/** https://jsonapi.org/format/1.0/#error-objects */
function describeErrors(
  jsonapi: JsonSchema,
  described: Pick<ModelDescription, 'jsonapi' | 'atomic' | 'errorTypes'>,
): JsonSchema {
  const isModern = described.jsonapi === '1.1' || described.atomic !== undefined
  const source = objectOf({
    pointer: { ...text, description: 'The location in the body (RFC 6901).' },
    parameter: { ...text, description: 'The query parameter, or the parameter of the path.' },
    ...(isModern && {
      header: { ...text, description: 'The header field, in documents of JSON:API 1.1.' },
    }),
  })
  const error = objectOf(
    {
      id: { ...text, description: 'The id of the entry in the log of the server.' },
      ...(described.errorTypes !== undefined && {
        links: objectOf({
          type: { ...link, description: 'Identifies the type of the error.' },
        }),
      }),
      status: text,
      code: { ...text, description: 'A stable name for programs.' },
      title: text,
      detail: text,
      source,
      meta: objectOf({
        version: { ...text, description: 'The present version, if the condition does not hold.' },
        page: objectOf({ maxSize: count }),
      }),
    },
    ['status', 'code', 'title', 'detail'],
  )
  const errors = { ...arrayOf(error), minItems: 1 }
  return objectOf({ errors, meta: { type: 'object' }, jsonapi }, ['errors', 'jsonapi'])
}
