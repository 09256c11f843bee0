import { errorCodes } from '../errors/codes.ts'
import { type ErrorList, getStatus, toErrorList } from '../errors/collector.ts'
import {
  type ApiError,
  BodyError,
  HttpError,
  ParameterError,
  RequestError,
  VersionConflictError,
} from '../errors/errors.ts'
import { type DocumentVersion, jsonapiMembers } from './document.ts'

/** A response with an error document. */
export interface ErrorResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Serializes the errors of a request.
 *
 * @param version - that of the document
 * @param types - the beginning of the addresses of the types of errors; absent for none
 * @returns `undefined` when the thrown value is not an error of the request
 */
export function serializeErrors(
  thrown: unknown,
  version: DocumentVersion = '1.0',
  types?: string,
): ErrorResponse | undefined {
  const list = toErrorList(thrown)
  const [first] = list?.errors ?? []
  if (list === undefined || first === undefined) return undefined
  return {
    status: getStatus(list),
    headers: first instanceof HttpError || first instanceof RequestError ? first.headers : {},
    body: serializeErrorDocument(
      list.errors.map((error) => toErrorObject(error, version, types)),
      list,
      version,
    ),
  }
}

/** Serializes an internal error: the client gets nothing but the id of the log entry. */
export function serializeInternalError(
  id: string,
  version: DocumentVersion = '1.0',
  types?: string,
): ErrorResponse {
  const detail = `The server failed to process the request. Its log has the cause under the id ${id}.`
  const code = 'internal_error'
  const error = toErrorMembers({ code, ...errorCodes.internal_error }, detail)
  const body = serializeErrorDocument(
    [{ id, ...toLinks(code, types), ...error }],
    { more: 0 },
    version,
  )
  return { status: 500, headers: {}, body }
}

/** @param list - its number of unreported errors goes into `meta` */
function serializeErrorDocument(
  errors: readonly object[],
  { more }: Pick<ErrorList, 'more'>,
  version: DocumentVersion,
): string {
  const meta = more > 0 ? `"meta":{"moreErrors":${more}},` : ''
  return `{"errors":${JSON.stringify(errors)},${meta}${jsonapiMembers[version]}}`
}

function toErrorObject(error: ApiError, version: DocumentVersion, types?: string): object {
  const links = toLinks(error.code, types)
  return {
    ...links,
    ...toErrorMembers(error, error.message),
    ...toSource(error, version),
    ...toMeta(error),
  }
}

/** The link that identifies the type of an error. @see https://jsonapi.org/format/1.1/#error-objects */
function toLinks(code: string | undefined, types?: string): object {
  if (types === undefined || code === undefined) return {}
  return { links: { type: types + encodeURIComponent(code.toWellFormed()) } }
}

function toErrorMembers(
  { code, status, title }: Readonly<Pick<ApiError, 'code' | 'status' | 'title'>>,
  detail: string,
): object {
  return { status: String(status), code, title, detail }
}

function toMeta(error: ApiError): object {
  const version = error instanceof VersionConflictError ? error.current : undefined
  if (version !== undefined) return { meta: { version } }
  return error.meta ? { meta: error.meta } : {}
}

function toSource(error: ApiError, version: DocumentVersion): object {
  if (error instanceof ParameterError) return { source: { parameter: error.parameter } }
  if (error instanceof BodyError) return { source: { pointer: error.pointer } }
  if (error instanceof VersionConflictError && error.pointer !== undefined)
    return { source: { pointer: error.pointer } }
  if (error instanceof HttpError)
    return version === '1.0' || error.field === undefined ? {} : { source: { header: error.field } }
  if (!(error instanceof RequestError)) return {}
  const { pointer, parameter } = error
  if (pointer !== undefined) return { source: { pointer } }
  return parameter === undefined ? {} : { source: { parameter } }
}
