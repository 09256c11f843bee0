import { type ApiError, attempt, BodyError, pointerStep, quoted, refuse } from '../errors/errors.ts'
import { isObject, jsonComplaint, kindOfJson, parseJson } from './json.ts'

/** One resource as a document names it: type and id, both as sent. */
export interface IdentifierWords {
  readonly type: string
  readonly id: string
  /** The way to it in the document (RFC 6901). */
  readonly pointer: string
}

/** Linkage as sent: nothing, one resource or a list. */
export type LinkageWords =
  | Readonly<{ is: 'none' }>
  | Readonly<{ is: 'one'; identifier: IdentifierWords }>
  | Readonly<{ is: 'many'; identifiers: readonly IdentifierWords[] }>

/** A resource object of a request: its structure is right, its names may mean nothing. */
export interface ResourceWords {
  readonly type: string
  /** Whatever was sent as `id`; `undefined` when there was none. */
  readonly id: unknown
  readonly attributes: readonly (readonly [name: string, value: unknown])[]
  /** Relationships that carry linkage; one with nothing but links or meta asks for nothing. */
  readonly relationships: readonly (readonly [name: string, linkage: LinkageWords])[]
}

type Json = Readonly<Record<string, unknown>>

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads the body of a create or an update. Members that JSON:API 1.0 does not define are ignored, as it demands.
 *
 * @param bytes - the body as it arrived
 * @param needsId - whether the resource must have an `id`: an update's must
 * @throws ApiError | ManyErrors (400) with every fault of the structure
 * @see JSON:API 1.0, Creating Resources, Updating Resources; SERVICE §8
 */
export function readResource(bytes: Uint8Array, needsId = false): ResourceWords {
  const data = dataOf(bytes)
  if (!isObject(data))
    throw invalid('/data', `must be a resource object; it is ${kindOfJson(data)}`)
  const errors: ApiError[] = []
  const words = {
    type: attempt(() => readType(data, '/data'), errors) ?? '',
    id: attempt(() => readId(data, needsId), errors),
    attributes: attempt(() => Object.entries(readMembers(data, 'attributes')), errors) ?? [],
    relationships: attempt(() => readRelationships(data), errors) ?? [],
  }
  refuse(errors)
  return words
}

/**
 * Reads the body of a relationship write.
 * @throws ApiError | ManyErrors (400) with every fault of the structure
 * @see JSON:API 1.0, Updating Relationships
 */
export function readLinkage(bytes: Uint8Array): LinkageWords {
  return linkage(dataOf(bytes), '/data')
}

function dataOf(bytes: Uint8Array): unknown {
  const document = parsed(bytes)
  if (!isObject(document)) throw invalid('', `must be an object; it is ${kindOfJson(document)}`)
  if (!Object.hasOwn(document, 'data')) throw invalid('', 'must have the member "data"')
  return document.data
}

function parsed(bytes: Uint8Array): unknown {
  if (bytes.length === 0)
    throw new BodyError('invalid_json', '', 'The body is empty; it must be a JSON:API document.')
  try {
    return parseJson(utf8.decode(bytes))
  } catch (error) {
    throw new BodyError('invalid_json', '', `The body is not JSON: ${jsonComplaint(error)}.`)
  }
}

function readType(object: Json, pointer: string): string {
  if (object.type === undefined) throw invalid(pointer, 'must have the member "type"')
  if (typeof object.type === 'string') return object.type
  throw invalid(`${pointer}/type`, `must be a string; it is ${kindOfJson(object.type)}`)
}

function readId({ id }: Json, needsId: boolean): unknown {
  const isThere = id !== undefined && id !== null
  if (needsId && !isThere) throw invalid('/data', 'must have the member "id"')
  return isThere ? id : undefined
}

function readMembers(data: Json, member: 'attributes' | 'relationships'): Json {
  const members = data[member]
  if (members === undefined) return {}
  if (isObject(members)) return members
  throw invalid(`/data/${member}`, `must be an object; it is ${kindOfJson(members)}`)
}

function readRelationships(data: Json): [string, LinkageWords][] {
  const errors: ApiError[] = []
  const read: [string, LinkageWords][] = []
  for (const [name, relationship] of Object.entries(readMembers(data, 'relationships'))) {
    attempt(() => {
      const pointer = `/data/relationships${pointerStep(name)}`
      if (!isObject(relationship))
        throw invalid(pointer, `must be an object; it is ${kindOfJson(relationship)}`)
      if (Object.hasOwn(relationship, 'data'))
        read.push([name, linkage(relationship.data, `${pointer}/data`)])
      else if (!('links' in relationship || 'meta' in relationship))
        throw invalid(pointer, 'must have the member "data"')
    }, errors)
  }
  refuse(errors)
  return read
}

function linkage(data: unknown, pointer: string): LinkageWords {
  if (data === null) return { is: 'none' }
  if (isObject(data)) return { is: 'one', identifier: readIdentifier(data, pointer) }
  if (!Array.isArray(data)) {
    throw invalid(
      pointer,
      `must be null, a resource identifier or an array of them; it is ${kindOfJson(data)}`,
    )
  }
  const errors: ApiError[] = []
  const read = data.map((each: unknown, index) =>
    attempt(() => readIdentifier(each, `${pointer}/${index}`), errors),
  )
  refuse(errors)
  return { is: 'many', identifiers: read.filter((identifier) => identifier !== undefined) }
}

function readIdentifier(json: unknown, pointer: string): IdentifierWords {
  if (!isObject(json))
    throw invalid(pointer, `must be a resource identifier; it is ${kindOfJson(json)}`)
  const type = readType(json, pointer)
  if (json.id === undefined) throw invalid(pointer, 'must have the member "id"')
  if (typeof json.id !== 'string') {
    throw invalid(
      `${pointer}/id`,
      `must be a string; it is ${kindOfJson(json.id)}, ${quoted(json.id)}`,
    )
  }
  return { type, id: json.id, pointer }
}

function invalid(pointer: string, complaint: string): BodyError {
  return new BodyError(
    'invalid_document',
    pointer,
    `${pointer === '' ? 'The document' : pointer} ${complaint}.`,
  )
}
