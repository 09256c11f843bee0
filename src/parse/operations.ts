import { attempt, collectErrors, type ErrorCollector, report } from '../errors/collector.ts'
import { BodyError, pointerToken } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { isObject } from '../model/kinds/json.ts'
import { parseJsonBody, type RequestBody } from './body.ts'
import { describeJsonType } from './json.ts'
import { maxLocalIdLength } from './local-ids.ts'

/** A resource, or a relationship of it, that an operation names. */
export interface ParsedReference {
  readonly type: string
  /** The id, or the local id; exactly one of them is there. */
  readonly id: string | undefined
  readonly lid: string | undefined
  readonly relationship: string | undefined
}

/** What an operation is about. Without a target it is the resource of its `data`. */
type ParsedTarget =
  | Readonly<{ is: 'data' }>
  | Readonly<{ is: 'href'; href: string }>
  | Readonly<{ is: 'ref'; ref: ParsedReference }>

/** An operation as the client sent it: its structure is valid, its names are not looked up yet. */
export interface ParsedOperation {
  readonly op: 'add' | 'update' | 'remove'
  readonly target: ParsedTarget
  /** Whether it has `data`, which may be null. */
  readonly hasData: boolean
  readonly data: unknown
  /** They may say that the data is a part of a relationship. */
  readonly links?: unknown
  readonly meta?: unknown
  /** The version that the target must have; `undefined` for an operation without a condition. */
  readonly ifMatch: string | undefined
}

/** A document with operations. */
export interface OperationsDocument {
  /** The complete document, to which the pointers of errors lead. */
  readonly document: Readonly<Record<string, unknown>>
  readonly operations: readonly unknown[]
}

type JsonObject = Readonly<Record<string, unknown>>

/** The JSON Pointer to an operation. */
export function pointToOperation(index: number): string {
  return `/atomic:operations/${index}`
}

/**
 * Parses the document of a batch as far as its list.
 * @param body - bytes, or in process the document
 * @throws BodyError `invalid_json`, `invalid_document`, `too_many_operations` (400)
 * @see https://jsonapi.org/ext/atomic/#document-structure
 */
export function parseOperationsDocument(
  body: RequestBody,
  maxOperations: number,
): OperationsDocument {
  const document: unknown = body instanceof Uint8Array ? parseJsonBody(body) : body
  if (!isObject(document))
    throw invalidDocument(
      '',
      `The document must be an object; it is ${describeJsonType(document)}.`,
    )
  const others = ['data', 'included', 'errors'].find((name) => Object.hasOwn(document, name))
  const { 'atomic:operations': operations } = document
  if (operations === undefined) {
    const found = others === undefined ? '' : `; it has "${others}"`
    const detail = `The document must have the member "atomic:operations", an array${found}.`
    throw invalidDocument('', detail)
  }
  if (others !== undefined)
    throw invalidDocument(`/${others}`, `A document with operations has no member "${others}".`)
  const pointer = '/atomic:operations'
  if (!Array.isArray(operations) || operations.length === 0) {
    const found = Array.isArray(operations) ? 'empty' : describeJsonType(operations)
    throw invalidDocument(pointer, `${pointer} must be an array with operations; it is ${found}.`)
  }
  if (operations.length > maxOperations) {
    const detail = `A request may have at most ${maxOperations} operations; this one has ${operations.length}. Send several requests.`
    throw new BodyError('too_many_operations', pointer, detail)
  }
  return { document, operations }
}

/**
 * Parses one operation.
 * @param errors - gets the errors, with pointers from the operation itself
 * @returns `undefined` after an error
 */
export function parseOperation(json: unknown, errors: ErrorCollector): ParsedOperation | undefined {
  if (!isObject(json))
    return report(errors, () =>
      invalid('', `An operation must be an object; it is ${describeJsonType(json)}.`),
    )
  const { length } = errors.errors
  const op = attempt(() => parseOp(json), errors)
  const target = attempt(() => parseTarget(json), errors)
  const ifMatch = attempt(() => parseIfMatch(json, errors), errors)
  if (op === undefined || target === undefined || errors.errors.length > length) return undefined
  const { data, links, meta } = json
  return { op, target, ifMatch, hasData: Object.hasOwn(json, 'data'), data, links, meta }
}

function parseOp({ op }: JsonObject): ParsedOperation['op'] {
  if (op === 'add' || op === 'update' || op === 'remove') return op
  if (op === undefined) throw invalid('', 'An operation must have the member "op".')
  throw invalid('/op', `op must be "add", "update" or "remove"; it is ${quote(op)}.`)
}

function parseTarget({ ref, href }: JsonObject): ParsedTarget {
  if (ref !== undefined && href !== undefined)
    throw invalid('', 'An operation must not have both "ref" and "href"; remove one of them.')
  if (href !== undefined) {
    if (typeof href === 'string') return { is: 'href', href }
    throw invalid('/href', `href must be a string; it is ${describeJsonType(href)}.`)
  }
  return ref === undefined ? { is: 'data' } : { is: 'ref', ref: parseReference(ref) }
}

function parseReference(ref: unknown): ParsedReference {
  if (!isObject(ref))
    throw invalid('/ref', `ref must be an object; it is ${describeJsonType(ref)}.`)
  const { identity, ...others } = collectErrors({
    type: () => parseText(ref, 'type') ?? fail('type'),
    identity: () => parseIdentity(ref),
    relationship: () => parseText(ref, 'relationship'),
  })
  return { ...others, ...identity }
}

function parseIdentity(ref: JsonObject): Pick<ParsedReference, 'id' | 'lid'> {
  const { id, lid } = ref
  if (id === undefined && lid === undefined)
    throw invalid('/ref', 'ref must have the member "id", or "lid" for a resource of this request.')
  if (id !== undefined && lid !== undefined)
    throw invalid('/ref', 'ref must not have both "id" and "lid"; remove one of them.')
  return {
    id: parseText(ref, 'id'),
    lid: lid === undefined ? undefined : parseLocalId(lid, '/ref/lid'),
  }
}

function fail(name: string): never {
  throw invalid('/ref', `ref must have the member "${name}".`)
}

function parseText(ref: JsonObject, name: string): string | undefined {
  const { [name]: value } = ref
  if (value === undefined || typeof value === 'string') return value
  throw invalid(`/ref/${name}`, `ref.${name} must be a string; it is ${describeJsonType(value)}.`)
}

/** Parses a local id. @throws BodyError `invalid_operation` (400) */
export function parseLocalId(lid: unknown, pointer: string): string {
  if (typeof lid === 'string' && lid.length >= 1 && lid.length <= maxLocalIdLength) return lid
  const detail = `lid must be a string of 1 to ${maxLocalIdLength} characters; it is ${quote(lid)}.`
  throw invalid(pointer, detail)
}

/** The characters of an entity tag (RFC 9110 §8.8.3). */
const version = /^[\x21\x23-\x7e\x80-\xff]+$/

/** Names like those of a condition, also misspelt: a client that sends one relies on it. `meta` may have any other member. */
const conditionName = /^if[\W_]*(?:m|none|not|range|un|version)/i

function parseIfMatch({ meta }: JsonObject, errors: ErrorCollector): string | undefined {
  if (meta === undefined) return undefined
  if (!isObject(meta))
    throw invalid('/meta', `meta must be an object; it is ${describeJsonType(meta)}.`)
  for (const name of Object.keys(meta)) {
    if (name === 'ifMatch' || !conditionName.test(name)) continue
    report(errors, () => {
      const detail = `An operation has no condition ${quote(name)}; the only one is "ifMatch", the version that its target has.`
      return invalid(`/meta${pointerToken(name)}`, detail)
    })
  }
  const { ifMatch } = meta
  if (ifMatch === undefined) return undefined
  if (typeof ifMatch === 'string' && version.test(ifMatch)) return ifMatch
  const detail = `meta.ifMatch must be the meta.version of the target, or "*"; it is ${quote(ifMatch)}.`
  throw invalid('/meta/ifMatch', detail)
}

function invalid(pointer: string, detail: string): BodyError {
  return new BodyError('invalid_operation', pointer, detail)
}

function invalidDocument(pointer: string, detail: string): BodyError {
  return new BodyError('invalid_document', pointer, detail)
}
