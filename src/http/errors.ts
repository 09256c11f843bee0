import { HiddenRouteError } from '../endpoints/protected-routes.ts'
import { errorCodes } from '../errors/codes.ts'
import { toError, toErrorList } from '../errors/collector.ts'
import { type ApiError, HttpError, RequestError } from '../errors/errors.ts'
import type { Logger } from '../model/declare/request-context.ts'
import { atomicMediaType } from '../model/media-types.ts'
import type { Model } from '../model/model.ts'
import { parameterNames } from '../parse/parameters.ts'
import type { DocumentVersion } from '../serialize/document.ts'
import { type ErrorResponse, serializeErrors, serializeInternalError } from '../serialize/errors.ts'
import { createRouteNotFound, documentHeaders } from './headers.ts'
import type { HttpRequest } from './request.ts'

/** Returns the response to a request whose processing threw an error, and logs what the client does not learn. */
type ErrorResponder = (
  error: unknown,
  request: HttpRequest,
  version?: DocumentVersion,
) => ErrorResponse

/**
 * Creates the error handler of an application. It reports an error of the request with its own status and code, and an error
 * with a `statusCode` from 400 to 499 with its status and message. It logs any other error and reports it as a bare 500.
 *
 * @param log - the logger of the application, for errors that many requests share
 * @param types - the beginning of the addresses of the types of errors; absent for none
 */
export function createErrorResponder(log: Logger, types?: string): ErrorResponder {
  const logUnavailable = createUnavailableLogger(log)
  return (thrown, request, version) => {
    const error = thrown instanceof HiddenRouteError ? createRouteNotFound(request.target) : thrown
    if (error instanceof HttpError && error.status > 500 && error.cause !== undefined)
      logUnavailable(error, request)
    const reported = isRequestError(error)
      ? error
      : (fromDisconnect(error, request) ?? fromStatus(error))
    const { observed } = request
    if (observed) observed.code = findCode(reported)
    const response =
      serializeErrors(reported, version, types) ??
      serializeInternalError(logInternalError(error, request), version, types)
    if (version !== 'atomic') return response
    return { ...response, headers: { ...response.headers, 'content-type': atomicMediaType } }
  }
}

/** Whether an error, or a list of errors, is reported with its own status and code. */
function isRequestError(error: unknown): boolean {
  const [first] = toErrorList(error)?.errors ?? []
  return first !== undefined
}

/** Returns the code of the first error; that of an application may be any text, so it is `refused`. */
function findCode(reported: unknown): string {
  if (reported === undefined) return 'internal_error'
  const [first] = toErrorList(reported)?.errors ?? []
  return first !== undefined && Object.hasOwn(errorCodes, first.code) ? first.code : 'refused'
}

/** Converts an error that the client caused by disconnecting. `undefined` for any other error. */
function fromDisconnect(error: unknown, request: HttpRequest): HttpError | undefined {
  if (!isAbort(error) || !request.isDisconnected()) return undefined
  const { log, method } = request
  const url = redactQuery(request.target)
  log.debug({ method, url }, 'the client disconnected before its request was processed')
  return new HttpError('invalid_request', 'The connection was closed during the request.')
}

function isAbort(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return error.name === 'AbortError' || ('code' in error && error.code === 'ECONNRESET')
}

/**
 * Converts an error of another library, e.g. a plugin or a body parser, by its `statusCode` or `status`. The message of an
 * error of 400 to 499 is meant for the client; that of a 503 is not.
 */
function fromStatus(error: unknown): ApiError | undefined {
  if (!(error instanceof Error)) return undefined
  const status = readStatus(error)
  if (status === 503)
    return new HttpError('overloaded', 'The request cannot be served now; try again shortly.')
  if (status === undefined || status < 400 || status > 499) return undefined
  // An `import` of `node:http` loads every lazy export of the module, which adds a tenth to the time of a start.
  const title = process.getBuiltinModule('node:http').STATUS_CODES[status]
  return new RequestError({
    status,
    ...(title !== undefined && { title }),
    detail: String(error.message),
  })
}

function readStatus(error: Error): number | undefined {
  const status: unknown = Reflect.get(error, 'statusCode') ?? Reflect.get(error, 'status')
  return typeof status === 'number' && Number.isInteger(status) ? status : undefined
}

/**
 * Logs an internal error with its message, stack and cause.
 * @returns the id that is in the log line and in the response
 */
export function logInternalError(error: unknown, { log, method, target }: HttpRequest): string {
  const id = crypto.randomUUID()
  log.error({ err: toError(error), id, method, url: redactQuery(target) }, 'a request failed')
  return id
}

/** How long an equal message is not logged again, in milliseconds. */
const interval = 1000
/** The most messages that are counted separately at a time. */
const maxMessages = 100

/** How many more requests failed with the same message in the current interval. */
interface Recent {
  suppressed: number
}

/**
 * Creates the logger of 501 and 503 responses, e.g. when the database cannot be reached. It logs each message once a second, and
 * at the end of that second how many more requests failed with it.
 *
 * @returns a function that logs an error with its `cause`
 */
function createUnavailableLogger(log: Logger): (error: ApiError, request: HttpRequest) => void {
  /** The messages that were logged within the last interval. */
  const recent = new Map<string, Recent>()
  return (error, { method, target }) => {
    const cause = error.cause instanceof Error ? error.cause : new Error(String(error.cause))
    // Messages with an id in them all differ; beyond the limit they share one count.
    const message = recent.size < maxMessages ? cause.message : 'others'
    const known = recent.get(message)
    if (known !== undefined) {
      known.suppressed += 1
      return
    }
    recent.set(message, { suppressed: 0 })
    const { code, message: detail } = error
    const request = { method, url: redactQuery(target) }
    log.error({ err: cause, code, detail, ...request }, 'a request could not be served')
    setTimeout(() => {
      const { suppressed = 0 } = recent.get(message) ?? {}
      recent.delete(message)
      if (suppressed > 0)
        log.error({ cause: message, code, suppressed }, 'more requests could not be served')
    }, interval).unref()
  }
}

/** The query parameters of the engine, as far as their name: what is after it in brackets may be anything. */
const knownParameters = new RegExp(`^(?:${parameterNames.join('|')})(?![^=[%])`)

/**
 * Returns a request target for the log. The values of parameters that the engine does not know are replaced by `[redacted]`: such a
 * parameter may be a credential, as in `?access_token=…`.
 *
 * @param target - the path and the query string, as sent
 */
export function redactQuery(target: string): string {
  const mark = target.indexOf('?')
  if (mark === -1) return target
  const pairs = target
    .slice(mark + 1)
    .split('&')
    .map(redactPair)
  return `${target.slice(0, mark)}?${pairs.join('&')}`
}

function redactPair(pair: string): string {
  if (pair === '' || knownParameters.test(pair)) return pair
  const [name] = pair.split('=', 1)
  return `${name}=[redacted]`
}

/**
 * Creates the response to an error of a call in process, for routes of an application: the same status and document as those
 * of a request, e.g. `` const { status, headers, body } = createErrorResponse(error, model) ?? … ``.
 *
 * @param model - that of the API: its version of JSON:API is that of the document, and its `errorTypes` are linked. Default: version 1.0
 * @returns the status, the headers, and a JSON:API document as text; `undefined` for an error that is internal, which clients
 *   must not see
 * @see https://jsonapi.org/format/1.0/#errors
 */
export function createErrorResponse(
  error: unknown,
  model?: Pick<Model, 'jsonapi' | 'errorTypes'>,
): ErrorResponse | undefined {
  const response = serializeErrors(error, model?.jsonapi, model?.errorTypes)
  if (response === undefined) return undefined
  const { status, headers, body } = response
  return { status, headers: { ...documentHeaders, ...headers }, body }
}
