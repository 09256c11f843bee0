import type { TypeDescription } from '../describe/describe-type.ts'
import { type ErrorCode, errorCodes } from '../errors/codes.ts'
import type { JsonSchema } from '../model/kinds/kinds.ts'
import { atomicMediaType, mediaType } from '../model/media-types.ts'
import { nameField } from './component-names.ts'
import { findRequiredInverse, type SchemaContext } from './resource-schemas.ts'
import { createReference, openObject } from './schema.ts'

/** A response (https://spec.openapis.org/oas/v3.1.0#response-object) or a request body. */
type Exchanged = Readonly<Record<string, unknown>>

/** Responses or request bodies by their names among the components. */
export type ExchangedByName = Readonly<Record<string, Exchanged>>

/** Describes a document of JSON:API. */
function describeContent(schema: JsonSchema): Exchanged {
  return { content: { [mediaType]: { schema } } }
}

/** Describes the header fields of responses, by their names. */
export function describeHeaders(): ExchangedByName {
  return {
    ETag: {
      description:
        'The entity tag of the document, for `If-None-Match`; that of one resource or relationship also for `If-Match`.',
      schema: { type: 'string' },
    },
    'Accept-Query': {
      description: 'The media types of the body of a QUERY, which every list takes.',
      schema: { type: 'string' },
    },
    Location: {
      description:
        'The path of the new resource; of a QUERY the address of the GET with its query.',
      schema: { type: 'string', format: 'uri-reference' },
    },
    'Idempotency-Replayed': {
      description: 'The request was executed before: this is the response that it got then.',
      schema: { const: 'true' },
    },
    'Preference-Applied': {
      description: 'The preferences of `Prefer` that were applied.',
      schema: { type: 'string' },
    },
    'Retry-After': {
      description: 'After how many seconds the same request may succeed.',
      schema: { type: 'integer', minimum: 1 },
    },
  }
}

const headerReference = createReference('#/components/headers/')

/** Refers to header fields that a response may have. */
export function withHeaders(
  ...names: readonly string[]
): Readonly<{ headers: Readonly<Record<string, JsonSchema>> }> {
  return { headers: Object.fromEntries(names.map((name) => [name, headerReference(name)])) }
}

/** The header fields of the response to a read. */
const readHeaders = ['ETag', 'Preference-Applied'] as const

/** The header fields of the response to a write. */
export const writtenHeaders = ['Idempotency-Replayed', 'Preference-Applied'] as const

/** The errors of operations that read, also with a body, of those that write, and of the server, by the names of their responses. */
export type ErrorResponseName = 'readError' | 'queryError' | 'writeError' | 'serverError'

/** The codes of errors that only operations with a body have. */
const writeCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'invalid_json',
  'invalid_document',
  'client_id_forbidden',
  'read_only',
  'related_not_found',
  'type_conflict',
  'id_conflict',
  'id_taken',
  'version_conflict',
  'already_exists',
  'condition_required',
  'invalid_key',
  'key_required',
  'key_not_supported',
  'key_reused',
  'request_in_progress',
  'too_many_affected',
  'relationship_conflict',
  'constraint_conflict',
  'body_too_large',
  'missing_value',
  'invalid_value',
  'unknown_field',
])

/** Those of them that a QUERY has. */
const queryCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'invalid_json',
  'invalid_document',
  'body_too_large',
])

/** The codes of errors that only several writes in one request have. */
const operationCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'invalid_operation',
  'too_many_operations',
  'unknown_lid',
  'repeated_lid',
])

/**
 * Describes the responses to all types: a message, the root document, and the errors with their codes.
 * @param isAuthenticated - true if requests are authenticated
 * @see docs/errors.md
 */
export function describeCommonResponses(
  { ref }: SchemaContext,
  isAuthenticated: boolean,
): ExchangedByName {
  const errors = describeContent(ref('jsonapi.errors'))
  const unauthenticated = isAuthenticated ? ['- 401: the request is not authenticated.'] : []
  const describeErrors = (title: string, isListed: (code: string, status: number) => boolean) => ({
    description: [title, '', ...unauthenticated, ...listCodes(isListed)].join('\n'),
    ...errors,
  })
  const rejected =
    'The request is rejected. The application may also have statuses and codes of its own.'
  return {
    message: {
      description: 'Done.',
      ...withHeaders(...writtenHeaders),
      ...describeContent(ref('jsonapi.message')),
    },
    root: {
      description: 'The resource types.',
      ...withHeaders(...readHeaders),
      ...describeContent(ref('jsonapi.root')),
    },
    head: {
      description: 'The status and the header fields of the response to GET, without a body.',
      ...withHeaders(...readHeaders, 'Accept-Query'),
    },
    notModified: {
      description: 'The client has the document: its entity tag is in If-None-Match.',
      ...withHeaders(...readHeaders, 'Accept-Query', 'Location'),
    },
    dryRun: {
      description: 'Nothing was written: this was a dry run.',
      ...withHeaders('Preference-Applied'),
      ...describeContent(ref('jsonapi.message')),
    },
    minimal: {
      description: 'Done; the client prefers no document.',
      ...withHeaders('Location', 'ETag', ...writtenHeaders),
    },
    options: {
      description: 'The methods.',
      headers: { Allow: { schema: { type: 'string' } }, ...withHeaders('Accept-Query').headers },
    },
    readError: describeErrors(rejected, (code, status) => status < 500 && !writeCodes.has(code)),
    queryError: describeErrors(
      rejected,
      (code, status) => status < 500 && (!writeCodes.has(code) || queryCodes.has(code)),
    ),
    writeError: {
      ...describeErrors(rejected, (_code, status) => status < 500),
      ...withHeaders('Retry-After', 'Location'),
    },
    operationError: {
      description: [rejected, '', ...unauthenticated, ...listOperationCodes()].join('\n'),
      ...withHeaders('Retry-After'),
      content: { [atomicMediaType]: { schema: openObject({ errors: { type: 'array' } }) } },
    },
    serverError: {
      description: ['The server failed.', '', ...listCodes((_code, each) => each >= 500)].join(
        '\n',
      ),
      ...withHeaders('Retry-After'),
      ...errors,
    },
  } satisfies Record<
    | ErrorResponseName
    | 'operationError'
    | 'message'
    | 'root'
    | 'head'
    | 'notModified'
    | 'dryRun'
    | 'minimal'
    | 'options',
    Exchanged
  >
}

/** The codes of a batch: those of its operations, and its own. */
function listOperationCodes(): string[] {
  return Object.entries(errorCodes)
    .filter(([, { status }]) => status < 500)
    .map(([code, { status, title }]) => `- ${status} \`${code}\`: ${title}.`)
}

function listCodes(isListed: (code: string, status: number) => boolean): string[] {
  return Object.entries(errorCodes)
    .filter(([code, { status }]) => !operationCodes.has(code) && isListed(code, status))
    .map(([code, { status, title }]) => `- ${status} \`${code}\`: ${title}.`)
}

/**
 * Describes the responses with resources of a type.
 * @returns the responses by the names of the schemas of their documents, e.g. `person.collection`, and `person.created`
 */
export function describeTypeResponses(
  { type }: TypeDescription,
  { nameType, ref }: SchemaContext,
): ExchangedByName {
  const name = nameType(type)
  const descriptions = {
    document: `The ${type}.`,
    documentOrNull: `The ${type}, or null.`,
    collection: `A list of resources of the type ${type}.`,
    toOneDocument: `The identifier of the ${type}, or null.`,
    requiredToOneDocument: `The identifier of the ${type}.`,
    toManyDocument: `Identifiers of the type ${type}.`,
  }
  const responses = Object.entries(descriptions).map(([suffix, description]) => {
    const schema = ref(`${name}.${suffix}`)
    const isList = suffix === 'collection' || suffix === 'toManyDocument'
    const headers = withHeaders(
      ...readHeaders,
      ...(isList ? ['Accept-Query', 'Location'] : []),
      // An update has this response, too, and an action may have any.
      ...(suffix === 'document' || suffix === 'collection' ? ['Idempotency-Replayed'] : []),
    )
    return [`${name}.${suffix}`, { description, ...headers, ...describeContent(schema) }] as const
  })
  return {
    ...Object.fromEntries(responses),
    [`${name}.created`]: {
      description: `The new ${type}.`,
      ...withHeaders('Location', 'ETag', ...writtenHeaders),
      ...describeContent(ref(`${name}.document`)),
    },
  }
}

/** Describes the bodies of requests with resources of a type: `person.new`, `person.update`, `person.toOne`, `person.toMany` and others. */
export function describeTypeBodies(
  type: TypeDescription,
  { described, nameType, ref }: SchemaContext,
): ExchangedByName {
  const name = nameType(type.type)
  const body = (schema: JsonSchema) => ({ required: true, ...describeContent(schema) })
  const document = (schema: string) =>
    body({ type: 'object', required: ['data'], properties: { data: ref(schema) } })
  const atRelationships = type.relationships.flatMap((field) => {
    const id = `${nameField(type, field.name, nameType)}.linked.new`
    return findRequiredInverse(field, described) ? [[id, document(id)] as const] : []
  })
  const linkage = (suffix: string) =>
    body({ allOf: [ref(`${name}.${suffix}`), { type: 'object', required: ['data'] }] })
  return {
    [`${name}.new`]: document(`${name}.new`),
    ...Object.fromEntries(atRelationships),
    [`${name}.update`]: document(`${name}.update`),
    [`${name}.toOne`]: linkage('toOneInput'),
    [`${name}.requiredToOne`]: linkage('requiredToOneInput'),
    [`${name}.toMany`]: linkage('toManyInput'),
  }
}
