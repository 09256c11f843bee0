import { RequestError } from '../errors/errors.ts'

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
