import { RequestError } from '../errors/errors.ts'

/** A request of any host: of Fastify, Express and `node:http`, or of the Fetch API. */
export interface AuthRequest {
  readonly headers:
    | Readonly<Record<string, string | readonly string[] | undefined>>
    | Readonly<{ get(name: string): string | null }>
  /** Of Node: names and values in turn, as sent. */
  readonly rawHeaders?: readonly string[] | undefined
  /** Of Fastify: the request of Node. */
  readonly raw?: Readonly<{ rawHeaders?: readonly string[] | undefined }> | undefined
}

/** The longest credentials, in characters. Longer ones are rejected before any work is done for them. */
const maxLength = 8192

/**
 * Reads a header field that must not be repeated.
 *
 * @param name - in lower case
 * @returns its value; `undefined` when the request has none; `invalid` when it is repeated or too long
 */
export function readCredentials(
  request: AuthRequest,
  name: string,
): string | undefined | Readonly<{ invalid: true }> {
  const { headers, rawHeaders = request.raw?.rawHeaders } = request
  const value = isFetchHeaders(headers) ? headers.get(name) : headers[name]
  if (value === undefined || value === null) return undefined
  const isRepeated =
    typeof value !== 'string' || (rawHeaders !== undefined && countFields(rawHeaders, name) > 1)
  return isRepeated || value.length > maxLength ? { invalid: true } : value
}

function isFetchHeaders(
  headers: AuthRequest['headers'],
): headers is Readonly<{ get(name: string): string | null }> {
  return typeof headers.get === 'function'
}

/** Node keeps only the first of repeated `Authorization` fields. */
function countFields(rawHeaders: readonly string[], name: string): number {
  return rawHeaders.filter((each, index) => index % 2 === 0 && each.toLowerCase() === name).length
}

/**
 * Creates the error of a request whose credentials are missing or not valid.
 *
 * @param challenge - the value of `WWW-Authenticate` (RFC 9110 §11.6.1)
 */
export function createUnauthenticatedError(challenge: string, isMissing: boolean): RequestError {
  return new RequestError({
    status: 401,
    code: 'unauthenticated',
    title: 'The request is not authenticated',
    detail: isMissing
      ? 'The request has no credentials; WWW-Authenticate names what it needs.'
      : 'The credentials of the request are not valid.',
    headers: { 'www-authenticate': challenge },
  })
}
