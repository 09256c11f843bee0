import { type ErrorCode, type ErrorDefinition, errorCodes } from './codes.ts'
import { quote } from './quote.ts'

/** The options of an error of a request. */
interface ApiErrorOptions extends ErrorOptions {
  /** The member `meta` of the error object; absent for none. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined
}

/** An error of a request, reported to the client. Each subclass says *where* in the request it is. */
export abstract class ApiError extends Error {
  /** A key of `errorCodes`, or the code of a service's own `RequestError`. */
  readonly code: string
  /** The HTTP status of this error alone. */
  readonly status: number
  /** The same for every error with this code. */
  readonly title: string
  /** The member `meta` of the error object. */
  readonly meta: Readonly<Record<string, unknown>> | undefined
  constructor(
    code: ErrorCode | Readonly<{ code: string } & ErrorDefinition>,
    detail: string,
    options?: ApiErrorOptions,
  ) {
    super(detail, options)
    this.name = new.target.name
    const definition = typeof code === 'string' ? { code, ...errorCodes[code] } : code
    this.code = definition.code
    this.status = definition.status
    this.title = definition.title
    this.meta = options?.meta
  }
  /** The location in the request: a JSON Pointer, a parameter name or an empty string. */
  abstract readonly location: string
}

/** The options of an error in a parameter. */
interface ParameterErrorOptions extends ApiErrorOptions {
  /** The part of the value that is wrong, e.g. `filter[0].op`. Default: all of it. */
  readonly path?: string
}

/** An error in the path or the query string, reported as `source.parameter`. */
export class ParameterError extends ApiError {
  readonly parameter: string
  readonly path: string
  constructor(
    code: ErrorCode | Readonly<{ code: string } & ErrorDefinition>,
    parameter: string,
    detail: string,
    options?: ParameterErrorOptions,
  ) {
    super(code, detail, options)
    this.parameter = parameter
    this.path = options?.path ?? parameter
  }
  get location(): string {
    return this.parameter
  }
}

/** The path names a resource that does not exist. */
export class NotFoundError extends ParameterError {
  constructor(type: string, id: string, parameter: string) {
    super('not_found', parameter, `There is no resource of type ${type} with id ${quote(id)}.`)
  }
}

/** An error in the body, reported as `source.pointer` (RFC 6901); `''` is the complete document. */
export class BodyError extends ApiError {
  readonly pointer: string
  constructor(
    code: ErrorCode | Readonly<{ code: string } & ErrorDefinition>,
    pointer: string,
    detail: string,
    options?: ApiErrorOptions,
  ) {
    super(code, detail, options)
    this.pointer = pointer
  }
  get location(): string {
    return this.pointer
  }
}

/** Writes a name as a reference token of a JSON Pointer, with its slash (RFC 6901 §3). */
export function pointerToken(name: string): string {
  // Few names contain characters to escape, and the test is faster than the replacement.
  return `/${/[~/]/.test(name) ? name.replaceAll('~', '~0').replaceAll('/', '~1') : name}`
}

/** Writes the path to a member as a JSON Pointer (RFC 6901 §3). @param path - names of members, and positions in arrays */
export function formatPointer(path: readonly (string | number)[]): string {
  return path.map((token) => pointerToken(String(token).toWellFormed())).join('')
}

/** The header fields of the codes that are always about the same one. */
const headerFields: Readonly<Partial<Record<ErrorCode, string>>> = {
  invalid_key: 'Idempotency-Key',
  key_required: 'Idempotency-Key',
  key_not_supported: 'Idempotency-Key',
  key_reused: 'Idempotency-Key',
  invalid_preference: 'Prefer',
  too_many_affected: 'Prefer',
  not_acceptable: 'Accept',
  unsupported_media_type: 'Content-Type',
  expectation_failed: 'Expect',
  version_conflict: 'If-Match',
  condition_required: 'If-Match',
  already_exists: 'If-None-Match',
}

/** The options of an error without a `source`. */
interface HttpErrorOptions extends ErrorOptions {
  /** The header field of the request that is the cause. Default: that of the code. */
  readonly field?: string | undefined
}

/**
 * An error without a `source` in JSON:API 1.0: of the whole request, e.g. because the database is busy, or of its request line or a header
 * field. It may add header fields to the response.
 */
export class HttpError extends ApiError {
  /** Header fields of the response, e.g. `allow` of a 405. */
  readonly headers: Readonly<Record<string, string>>
  /** The header field of the request that is the cause, `source.header` in JSON:API 1.1; `undefined` if it is none. */
  readonly field: string | undefined
  constructor(
    code: ErrorCode,
    detail: string,
    headers: Readonly<Record<string, string>> = {},
    options?: HttpErrorOptions,
  ) {
    super(code, detail, options)
    this.headers = headers
    this.field = options?.field ?? headerFields[code]
  }
  get location(): string {
    return ''
  }
}

/** The condition of a write does not hold: nothing was written. */
export class VersionConflictError extends HttpError {
  /** The version of the resource or the relationship now; `undefined` if it has none, or the identity may not read it. */
  readonly current: string | undefined
  /** The position of the condition in the document, of an operation of a batch; else it is in the header fields. */
  readonly pointer: string | undefined
  constructor(
    code: 'version_conflict' | 'already_exists',
    detail: string,
    current: string | undefined,
    pointer?: string,
    field?: 'If-Match' | 'If-None-Match',
  ) {
    super(code, detail, {}, { field })
    this.current = current
    this.pointer = pointer
  }
}

/** The parts of a service's own error. */
export interface RequestErrorOptions {
  /** One sentence for the client. */
  readonly detail: string
  /** The HTTP status, from 400 to 599. Default 403. */
  readonly status?: number
  /** A stable name for programs. Default `refused`. */
  readonly code?: string
  /** The same for every error with this code. Default: the title of `refused`. */
  readonly title?: string
  /** The location of the cause in the body (RFC 6901), e.g. `/data/attributes/name`. */
  readonly pointer?: string
  /** The query parameter that is the cause. */
  readonly parameter?: string
  /** Header fields of the response, e.g. `www-authenticate` of a 401. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The names of the options of `RequestError`. */
// biome-ignore format: a list of words
const requestErrorOptions: readonly (keyof RequestErrorOptions)[] =
  ['detail', 'status', 'code', 'title', 'pointer', 'parameter', 'headers']

/** Checks what a program without types may confuse: without its status, a 401 would be a 403. */
function checkRequestError(detail: unknown, unknown: object): void {
  if (typeof detail !== 'string') {
    const found = detail === undefined ? 'missing' : quote(detail)
    throw new TypeError(`RequestError.detail: must be a sentence for the client; it is ${found}`)
  }
  const [name] = Object.keys(unknown)
  if (name === undefined) return
  // Without a suggestion, so that reader processes of SQLite do not load what makes it.
  const names = requestErrorOptions.join(', ')
  throw new TypeError(`RequestError.${name}: there is no such option; the options are ${names}.`)
}

/** Thrown by a service's own code to reject a request. Clients see it like any other error. */
export class RequestError extends ApiError {
  readonly pointer: string | undefined
  readonly parameter: string | undefined
  readonly headers: Readonly<Record<string, string>>
  /** @throws RangeError for a status that is not one of an error; TypeError for an unknown option, and without a detail */
  constructor(options: RequestErrorOptions) {
    const { detail, pointer, parameter, headers = {}, status, code, title, ...unknown } = options
    checkRequestError(detail, unknown)
    const { refused } = errorCodes
    const definition = { status: status ?? refused.status, title: title ?? refused.title }
    super({ code: code ?? 'refused', ...definition }, detail)
    if (!(Number.isInteger(this.status) && this.status >= 400 && this.status <= 599))
      throw new RangeError(`RequestError.status: must be from 400 to 599; it is ${this.status}`)
    this.pointer = pointer
    this.parameter = parameter
    this.headers = headers
  }
  get location(): string {
    return this.pointer ?? this.parameter ?? ''
  }
}
