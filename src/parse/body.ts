import {
  attempt,
  type ErrorCollector,
  emptyCollector,
  refuse,
  report,
} from '../errors/collector.ts'
import { BodyError, pointerStep, quoted, shortened } from '../errors/errors.ts'
import { isObject, jsonComplaint, kindOfJson, NestingError, parseJson } from './json.ts'

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
  const errors = emptyCollector()
  const words = {
    type: readType(data, '/data', errors) ?? '',
    id: attempt(() => readId(data, needsId), errors),
    attributes: Object.entries(readMembers(data, 'attributes', errors)),
    relationships: readRelationships(data, errors),
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
  const errors = emptyCollector()
  const words = linkage(dataOf(bytes), '/data', errors)
  refuse(errors)
  return words ?? { is: 'none' }
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
    const complaint =
      error instanceof NestingError ? error.message : `is not JSON: ${jsonComplaint(error)}`
    throw new BodyError('invalid_json', '', `The body ${complaint}.`)
  }
}

function readType(object: Json, pointer: string, errors: ErrorCollector): string | undefined {
  const { type } = object
  if (typeof type === 'string') return type
  return report(errors, () =>
    type === undefined
      ? invalid(pointer, 'must have the member "type"')
      : invalid(`${pointer}/type`, `must be a string; it is ${kindOfJson(type)}`),
  )
}

function readId({ id }: Json, needsId: boolean): unknown {
  const isThere = id !== undefined && id !== null
  if (needsId && !isThere) throw invalid('/data', 'must have the member "id"')
  return isThere ? id : undefined
}

function readMembers(
  data: Json,
  member: 'attributes' | 'relationships',
  errors: ErrorCollector,
): Json {
  const members = data[member]
  if (isObject(members)) return members
  if (members !== undefined)
    report(errors, () =>
      invalid(`/data/${member}`, `must be an object; it is ${kindOfJson(members)}`),
    )
  return {}
}

function readRelationships(data: Json, errors: ErrorCollector): [string, LinkageWords][] {
  const read: [string, LinkageWords][] = []
  for (const [name, relationship] of Object.entries(readMembers(data, 'relationships', errors))) {
    const pointer = () => `/data/relationships${pointerStep(name)}`
    if (!isObject(relationship))
      report(errors, () =>
        invalid(pointer(), `must be an object; it is ${kindOfJson(relationship)}`),
      )
    else if (Object.hasOwn(relationship, 'data')) {
      const words = linkage(relationship.data, `${pointer()}/data`, errors)
      if (words) read.push([name, words])
    } else if (!('links' in relationship || 'meta' in relationship))
      report(errors, () => invalid(pointer(), 'must have the member "data"'))
  }
  return read
}

function linkage(data: unknown, pointer: string, errors: ErrorCollector): LinkageWords | undefined {
  if (data === null) return { is: 'none' }
  if (isObject(data)) {
    const identifier = readIdentifier(data, pointer, errors)
    return identifier && { is: 'one', identifier }
  }
  if (!Array.isArray(data)) {
    const meant = 'null, a resource identifier or an array of them'
    return report(errors, () => invalid(pointer, `must be ${meant}; it is ${kindOfJson(data)}`))
  }
  const identifiers: IdentifierWords[] = []
  for (const [index, each] of data.entries()) {
    const identifier = readIdentifier(each, `${pointer}/${index}`, errors)
    if (identifier) identifiers.push(identifier)
  }
  return { is: 'many', identifiers }
}

/** A client may send very many: none that is wrong costs more than to count it, once enough errors are reported. */
function readIdentifier(
  json: unknown,
  pointer: string,
  errors: ErrorCollector,
): IdentifierWords | undefined {
  if (!isObject(json)) {
    return report(errors, () =>
      invalid(pointer, `must be a resource identifier; it is ${kindOfJson(json)}`),
    )
  }
  const type = readType(json, pointer, errors)
  if (type === undefined) return undefined
  const { id } = json
  if (typeof id === 'string') return { type, id, pointer }
  return report(errors, () =>
    id === undefined
      ? invalid(pointer, 'must have the member "id"')
      : invalid(`${pointer}/id`, `must be a string; it is ${kindOfJson(id)}, ${quoted(id)}`),
  )
}

/** The most characters of a pointer that a detail repeats. */
const longestPointer = 200

function invalid(pointer: string, complaint: string): BodyError {
  const place =
    pointer.length <= longestPointer ? pointer : `${shortened(pointer, longestPointer)}…`
  return new BodyError(
    'invalid_document',
    pointer,
    `${pointer === '' ? 'The document' : place} ${complaint}.`,
  )
}
