import { type ErrorCollector, emptyCollector, report, throwErrors } from '../errors/collector.ts'
import { BodyError, formatPointer, pointerToken } from '../errors/errors.ts'
import { quote, truncate } from '../errors/quote.ts'
import { isObject, type JsonValue, serializeJson } from '../model/kinds/json.ts'
import { atomicRemedy } from '../model/media-types.ts'
import {
  describeJsonError,
  describeJsonType,
  findRepeated,
  NestingError,
  parseJson,
} from './json.ts'
import type { FindLocalId, InsertedId } from './local-ids.ts'

/**
 * A resource identifier of a document: type and id as the client sent them.
 * @see https://jsonapi.org/format/1.0/#document-resource-identifier-objects
 */
export interface ParsedIdentifier {
  readonly type: string
  readonly id: string
  /** Its position in the document, as a JSON Pointer (RFC 6901). */
  readonly pointer: string
  /** Whose id it is, of a resource that is not yet inserted; `id` stands for it then. */
  readonly inserted?: InsertedId
}

/**
 * Resource linkage as the client sent it: null, one identifier or a list.
 * @see https://jsonapi.org/format/1.0/#document-resource-object-linkage
 */
export type ParsedLinkage =
  | Readonly<{ is: 'none' }>
  | Readonly<{ is: 'one'; identifier: ParsedIdentifier }>
  | Readonly<{ is: 'many'; identifiers: readonly ParsedIdentifier[] }>

/** A relationship of a resource object of a request. */
type ParsedRelationship = readonly [name: string, linkage: ParsedLinkage | undefined]

/** A resource object of a request. Its structure is valid; its names are not looked up yet. */
export interface ParsedResource {
  readonly type: string
  /** The value of `id`, of any JSON type; `undefined` if `id` is absent or null. */
  readonly id: unknown
  readonly attributes: JsonObject
  /** A relationship with nothing but `links` or `meta` has no linkage, and changes nothing (docs/decisions/0015). */
  readonly relationships: readonly ParsedRelationship[]
  /** Whether it is the data of an operation, which may name its target apart from it. */
  readonly isOfOperation?: boolean
}

type JsonObject = Readonly<Record<string, unknown>>

/** The primary data of a request, whose identifiers may have local ids if others of the same request introduce them. */
interface RequestData {
  readonly data: unknown
  /** Of the document: they may say that the data is a part of a relationship. */
  readonly links?: unknown
  readonly meta?: unknown
  readonly findLocalId?: FindLocalId
}

/** A request body: the bytes of a JSON:API document, or, from a call in process, the document itself. */
export type RequestBody =
  | Uint8Array
  | Readonly<RequestData | { meta: unknown } | { 'atomic:operations': readonly unknown[] }>

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses the body of a create or an update. It ignores members that JSON:API 1.0 does not define.
 *
 * @param body - the request body
 * @param requiresId - true for an update, whose resource must have an `id`
 * @throws ApiError | ManyErrors (400) with every structural error of the document
 * @see https://jsonapi.org/format/1.0/#crud-creating
 * @see https://jsonapi.org/format/1.0/#crud-updating
 */
export function parseResource(body: RequestBody, requiresId = false): ParsedResource {
  const { data } = parseDocument(body)
  if (!isObject(data))
    throw documentError('/data', `must be a resource object; it is ${describeJsonType(data)}`)
  const errors = emptyCollector()
  const { findLocalId }: Pick<RequestData, 'findLocalId'> = 'data' in body ? body : {}
  const type = parseType(data, '/data', errors) ?? ''
  const parsed = {
    type,
    id: parseId(data, type, { isRequired: requiresId, errors, findLocalId }),
    attributes: parseMembers(data, 'attributes', errors),
    relationships: parseRelationships(data, { errors, findLocalId }),
    ...(findLocalId && { isOfOperation: true }),
  }
  throwErrors(errors)
  return parsed
}

/**
 * Parses the body of a write to a relationship URL.
 * @param replaces - whether the linkage replaces all members, so that it must not be a part of them
 * @throws ApiError | ManyErrors (400) with every structural error of the document
 * @see https://jsonapi.org/format/1.0/#crud-updating-relationships
 */
export function parseLinkage(body: RequestBody, replaces = false): ParsedLinkage {
  const errors = emptyCollector()
  const { findLocalId }: Pick<RequestData, 'findLocalId'> = 'data' in body ? body : {}
  const document = parseDocument(body)
  if (replaces && isPartial(document)) report(errors, () => partialError('/data'))
  const linkage = parseLinkageData(document.data, '/data', { errors, findLocalId })
  throwErrors(errors)
  return linkage ?? { is: 'none' }
}

/**
 * Parses the body of the call of an action: a document with the parameters in `meta`. A call without parameters needs no body.
 * @throws BodyError `invalid_json` or `invalid_document` (400)
 */
export function parseActionParameters(body: RequestBody): JsonObject {
  if (body instanceof Uint8Array && body.length === 0) return {}
  const document = body instanceof Uint8Array ? parseJsonBody(body) : body
  if (!isObject(document))
    throw documentError('', `must be an object; it is ${describeJsonType(document)}`)
  if (isBatch(document)) throw documentError('', `is no call of an action; ${atomicRemedy}`)
  const { meta = {} } = document
  if (isObject(meta)) return meta
  throw documentError('/meta', `must be an object; it is ${describeJsonType(meta)}`)
}

/** What the parser of a body collects and looks up. */
interface ParserContext {
  readonly errors: ErrorCollector
  /** Absent for a request that is not part of a batch: it has no local ids. */
  readonly findLocalId: FindLocalId | undefined
}

/** Parses a document with primary data. */
function parseDocument(body: RequestBody): JsonObject {
  const document = body instanceof Uint8Array ? parseJsonBody(body) : body
  if (!isObject(document))
    throw documentError('', `must be an object; it is ${describeJsonType(document)}`)
  if (Object.hasOwn(document, 'data')) return document
  const remedy = isBatch(document) ? `; ${atomicRemedy}` : ''
  throw documentError('', `must have the member "data"${remedy}`)
}

/** Whether a document is that of a batch, which has an address of its own. */
function isBatch(document: JsonObject): boolean {
  return Object.hasOwn(document, 'atomic:operations')
}

/**
 * Parses the bytes of a document as JSON.
 * @throws ApiError | ManyErrors (400): `invalid_json`, or `invalid_document` for each member that is repeated in its object, of which a parser
 *   keeps the last
 */
export function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0)
    throw new BodyError('invalid_json', '', 'The body is empty; it must be a JSON:API document.')
  let text: string
  let json: unknown
  try {
    text = utf8.decode(bytes)
    json = parseJson(text, bytes)
  } catch (error) {
    const problem =
      error instanceof NestingError ? error.message : `is not JSON: ${describeJsonError(error)}`
    throw new BodyError('invalid_json', '', `The body ${problem}.`)
  }
  // No value is written with a member twice, and to write it, of parsed JSON, costs an eighth of a search.
  if (serializeJson(json as JsonValue) !== text) checkRepeated(text)
  return json
}

/** @throws ApiError | ManyErrors (400) */
function checkRepeated(text: string): void {
  const errors = emptyCollector()
  for (const path of findRepeated(text)) report(errors, () => repeatedError(path))
  throwErrors(errors)
}

function repeatedError(path: readonly (string | number)[]): BodyError {
  return documentError(
    formatPointer(path),
    'is sent more than once in its object; remove all but one',
  )
}

function parseType(
  object: JsonObject,
  pointer: string,
  errors: ErrorCollector,
): string | undefined {
  const { type } = object
  if (typeof type === 'string') return type
  return report(errors, () =>
    type === undefined
      ? documentError(pointer, 'must have the member "type"')
      : documentError(`${pointer}/type`, `must be a string; it is ${describeJsonType(type)}`),
  )
}

/** @param isRequired - for an update, which may name a resource by its local id, too; that of a create introduces it */
function parseId(
  { id, lid }: JsonObject,
  type: string,
  { isRequired, errors, findLocalId }: ParserContext & Readonly<{ isRequired: boolean }>,
): unknown {
  if (isRequired && findLocalId) checkOneName({ id, lid }, '/data', errors)
  if (id !== undefined && id !== null) return id
  if (isRequired && lid !== undefined && findLocalId)
    return findLocalId({ type, lid, pointer: '/data' }, errors)?.id
  return isRequired
    ? report(errors, () => documentError('/data', 'must have the member "id"'))
    : undefined
}

/** Checks that an object of an operation names a resource once: its id and its local id could be those of two. */
function checkOneName({ id, lid }: JsonObject, pointer: string, errors: ErrorCollector): void {
  if (id === undefined || lid === undefined) return
  const problem = 'is not allowed beside "id": only the data of an add has both; remove one of them'
  report(errors, () => documentError(`${pointer}/lid`, problem))
}

function parseMembers(
  data: JsonObject,
  name: 'attributes' | 'relationships',
  errors: ErrorCollector,
): JsonObject {
  const members = data[name]
  if (isObject(members)) return members
  if (members !== undefined)
    report(errors, () =>
      documentError(`/data/${name}`, `must be an object; it is ${describeJsonType(members)}`),
    )
  return {}
}

function parseRelationships(data: JsonObject, context: ParserContext): ParsedRelationship[] {
  const { errors } = context
  const parsed: ParsedRelationship[] = []
  for (const [name, relationship] of Object.entries(parseMembers(data, 'relationships', errors))) {
    const pointer = () => `/data/relationships${pointerToken(name)}`
    if (!isObject(relationship))
      report(errors, () =>
        documentError(pointer(), `must be an object; it is ${describeJsonType(relationship)}`),
      )
    else if (isPartial(relationship)) report(errors, () => partialError(`${pointer()}/data`))
    else if (Object.hasOwn(relationship, 'data')) {
      const linkage = parseLinkageData(relationship.data, `${pointer()}/data`, context)
      if (linkage) parsed.push([name, linkage])
    } else if (Object.hasOwn(relationship, 'links') || Object.hasOwn(relationship, 'meta'))
      parsed.push([name, undefined])
    else report(errors, () => documentError(pointer(), 'must have the member "data"'))
  }
  return parsed
}

/**
 * Whether a relationship, or the document of a relationship URL, says that its linkage is a part of the members, as responses say it:
 * `meta` of the members of an include path (`src/plan/include-page.ts`), and the links of a page, or its `meta` (`src/serialize/page.ts`).
 */
function isPartial({ data, links, meta }: JsonObject): boolean {
  if (data === undefined) return false
  const { page, filtered } = isObject(meta) ? meta : {}
  if (filtered === true || (isObject(page) && isPartOf(page))) return true
  if (!isObject(links)) return false
  const { prev, next, self } = links
  return isLink(prev) || isLink(next) || filteredAddress.test(readHref(self))
}

/** Whether `meta.page` says that there are other pages: as cursors or numbers where the query is too long for links. */
function isPartOf({ hasMore, before, after, prev, next }: JsonObject): boolean {
  return hasMore === true || [before, after, prev, next].some((each) => (each ?? null) !== null)
}

function isLink(link: unknown): boolean {
  return readHref(link) !== ''
}

/** A link is a string, or an object with one. @see https://jsonapi.org/format/1.0/#document-links */
function readHref(link: unknown): string {
  const href = isObject(link) ? link.href : link
  return typeof href === 'string' ? href : ''
}

/** An address whose query has a filter. */
const filteredAddress = /[?&]filter(?:=|\[|%5b)/i

function partialError(pointer: string): BodyError {
  const problem =
    'is a part of the members, as its meta or links say, and would replace all of them; leave the relationship out, add or remove members at its own address, or send all members without that meta and those links'
  return documentError(pointer, problem)
}

function parseLinkageData(
  data: unknown,
  pointer: string,
  context: ParserContext,
): ParsedLinkage | undefined {
  if (data === null) return { is: 'none' }
  if (isObject(data)) {
    const identifier = parseIdentifier(data, pointer, context)
    return identifier && { is: 'one', identifier }
  }
  if (!Array.isArray(data)) {
    const expected = 'null, a resource identifier or an array of resource identifiers'
    return report(context.errors, () =>
      documentError(pointer, `must be ${expected}; it is ${describeJsonType(data)}`),
    )
  }
  const identifiers: ParsedIdentifier[] = []
  for (const [index, item] of data.entries()) {
    const identifier = parseIdentifier(item, `${pointer}/${index}`, context)
    if (identifier) identifiers.push(identifier)
  }
  return { is: 'many', identifiers }
}

/** Parses a resource identifier. A body may hold thousands of invalid ones: beyond the error limit each is only counted. */
function parseIdentifier(
  json: unknown,
  pointer: string,
  { errors, findLocalId }: ParserContext,
): ParsedIdentifier | undefined {
  if (!isObject(json)) {
    return report(errors, () =>
      documentError(pointer, `must be a resource identifier; it is ${describeJsonType(json)}`),
    )
  }
  const type = parseType(json, pointer, errors)
  if (type === undefined) return undefined
  const { id, lid } = json
  if (findLocalId) checkOneName({ id, lid }, pointer, errors)
  if (typeof id === 'string') return { type, id, pointer }
  if (id === undefined && lid !== undefined && findLocalId) {
    const found = findLocalId({ type, lid, pointer }, errors)
    return found && { type, pointer, ...found }
  }
  return report(errors, () =>
    id === undefined
      ? documentError(pointer, 'must have the member "id"')
      : documentError(
          `${pointer}/id`,
          `must be a string; it is ${describeJsonType(id)}, ${quote(id)}`,
        ),
  )
}

/** The maximum length of a pointer in an error detail, in characters. */
const maxPointerLength = 200

/** @param problem - the predicate of the detail's sentence, without its period */
function documentError(pointer: string, problem: string): BodyError {
  const location =
    pointer.length <= maxPointerLength ? pointer : `${truncate(pointer, maxPointerLength)}…`
  return new BodyError(
    'invalid_document',
    pointer,
    `${pointer === '' ? 'The document' : location} ${problem}.`,
  )
}
