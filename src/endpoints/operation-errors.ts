import { type ErrorList, ManyErrors, toErrorList } from '../errors/collector.ts'
import {
  type ApiError,
  BodyError,
  ParameterError,
  RequestError,
  VersionConflictError,
} from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import type { Awaitable } from '../model/declare/hooks.ts'
import { isObject } from '../model/kinds/json.ts'
import { parseJsonBody, type RequestBody } from '../parse/body.ts'
import { pointToOperation } from '../parse/operations.ts'
import { TakenIdError } from '../sql/write/constraints.ts'

/** Where an operation is in the document of its request. */
export interface OperationLocation {
  readonly index: number
  /** The complete document. */
  readonly document: unknown
  /** The member that names the target: `/ref`, `/href`, or `/data`. */
  readonly target: string
  /** What is before the pointers of the endpoint: `/data` for the call of an action, whose document the operation has as its data. */
  readonly body: string
  readonly hasCondition: boolean
}

/**
 * Returns what an operation threw as the error of its batch, which leads to the operation by a JSON Pointer from the root of the document.
 * What is no error of the request stays as it is.
 */
export function locateError(thrown: unknown, location: OperationLocation): unknown {
  return mapErrors(thrown, (error) => locate(error, location))
}

/** Executes a request whose errors lead to values that its document has. @throws what it throws, located by `locateInBody` */
export async function locateErrorsOf<Result>(
  execute: () => Awaitable<Result>,
  body: RequestBody,
): Promise<Result> {
  try {
    return await execute()
  } catch (error) {
    throw locateInBody(error, body)
  }
}

/**
 * Returns what a request threw as an error whose pointers lead to values that its document has: that of a missing member leads to the object
 * that lacks it, and its detail names the member.
 * @see https://jsonapi.org/format/1.1/#error-objects
 */
function locateInBody(thrown: unknown, body: RequestBody): unknown {
  let document: unknown = body
  if (body instanceof Uint8Array) {
    try {
      document = parseJsonBody(body)
    } catch {
      return thrown
    }
  }
  return mapErrors(thrown, (error) => {
    if (!(error instanceof BodyError || error instanceof RequestError)) return error
    if (error.pointer === undefined) return error
    const { pointer } = findExisting(error.pointer, document)
    return pointer === error.pointer ? error : pointTo(error, pointer, error.message)
  })
}

function mapErrors(thrown: unknown, map: (error: ApiError) => ApiError): unknown {
  const list = toErrorList(thrown)
  const [first, ...others] = list?.errors.map(map) ?? []
  if (list === undefined || first === undefined) return thrown
  return others.length === 0 && list.more === 0
    ? first
    : new ManyErrors({ errors: [first, ...others], more: list.more })
}

/** Locates the errors of an operation. */
export function locateErrors({ errors, more }: ErrorList, location: OperationLocation): ErrorList {
  return { errors: errors.map((error) => locate(error, location)), more }
}

/** Adds a pointer to an error. One of the server, e.g. that the database is busy, concerns the whole request. */
function locate(error: ApiError, location: OperationLocation): ApiError {
  if (error.status >= 500) return error
  const { pointer, value } = findExisting(findPointer(error, location), location.document)
  const detail = describeNamed(error, value, location) ?? describe(error, pointer)
  return pointTo(error, pointer, detail)
}

/**
 * The detail of an error about a resource that a request of its own names by its id, in the URL or in the body: an operation has a
 * target, and the id of a resource that the batch creates is rolled back with it, so its local id names it.
 * @param named - what has the id
 * @returns `undefined` for another error
 */
function describeNamed(
  { code }: ApiError,
  named: unknown,
  { index, target, document }: OperationLocation,
): string | undefined {
  const operation = pointToOperation(index)
  if (code === 'id_conflict') {
    const { value } = findExisting(operation + target, document)
    const { value: data } = findExisting(`${operation}/data`, document)
    return `${operation}/data must have the ${nameTarget(value)}, as ${operation}${target}; it has the ${nameTarget(data)}.`
  }
  if (code !== 'not_found' && code !== 'related_not_found') return undefined
  if (!isObject(named) || named.id !== undefined || named.lid === undefined) return undefined
  return `There is no resource of type ${String(named.type)} with ${nameTarget(named)}.`
}

/** Names what an operation is about, by its address, its id or its local id. */
function nameTarget(target: unknown): string {
  if (!isObject(target)) return `id of ${quote(target)}`
  return target.id === undefined ? `lid ${quote(target.lid)}` : `id ${quote(target.id)}`
}

/** Returns an error with another pointer. */
function pointTo(error: ApiError, pointer: string, detail: string): ApiError {
  const { code, status, title, message, cause } = error
  if (error instanceof RequestError) {
    const { headers } = error
    return new RequestError({ status, code, title, detail: message, pointer, headers })
  }
  if (error instanceof TakenIdError) return new TakenIdError(error.resource, cause, pointer)
  if (error instanceof VersionConflictError)
    return new VersionConflictError(conflictCode(error), message, error.current, pointer)
  return new BodyError({ code, status, title }, pointer, detail, { cause, meta: error.meta })
}

/** The code of a conflict, of which there are two. */
function conflictCode({ code }: VersionConflictError): 'version_conflict' | 'already_exists' {
  return code === 'already_exists' ? code : 'version_conflict'
}

function findPointer(error: ApiError, { index, target, body, hasCondition }: OperationLocation) {
  const operation = pointToOperation(index)
  if (error instanceof BodyError) return operation + body + error.pointer
  if (error instanceof RequestError)
    return error.pointer === undefined
      ? operation + (error.parameter === undefined ? '' : target)
      : operation + body + error.pointer
  if (error instanceof ParameterError) return operation + target
  const isOfCondition = error instanceof VersionConflictError || error.code === 'invalid_request'
  return operation + (isOfCondition && hasCondition ? '/meta/ifMatch' : '')
}

/** A detail that begins with the pointer of the document of a single request begins with that of the batch. */
function describe(error: ApiError, pointer: string): string {
  const { message } = error
  const isNamed = error instanceof BodyError && error.pointer !== ''
  return isNamed && message.startsWith(`${error.pointer} `) && pointer.endsWith(error.pointer)
    ? pointer + message.slice(error.pointer.length)
    : message
}

/** Finds the nearest value that exists, and its pointer: a missing member has none of its own (RFC 6901 §4). */
function findExisting(
  pointer: string,
  document: unknown,
): Readonly<{ pointer: string; value: unknown }> {
  let value = document
  let found = ''
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~')
    const isMember =
      (isObject(value) || Array.isArray(value)) && name !== 'length' && Object.hasOwn(value, name)
    if (!isMember) break
    value = Reflect.get(Object(value), name)
    found += `/${token}`
  }
  return { pointer: found, value }
}
