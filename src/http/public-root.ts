import type { Route } from '../endpoints/route-table.ts'
import { toErrorList } from '../errors/collector.ts'
import { wantsPage } from './html.ts'
import type { HttpRequest } from './request.ts'

/** The options of a server that decide who sees the root document. */
interface PublicRootOptions {
  readonly publicRoot?: boolean
  readonly html?: object | undefined
}

/**
 * Whether browsers without credentials get the page of a route: that of the root document, with the resource types that exist without
 * an identity, and no data. People open an address before they have credentials. Clients that ask for JSON get the 401: an application
 * that is not signed in learns it from the status, not from a missing type.
 */
export function isPublicPage(
  { target }: Route,
  { publicRoot = true, html }: PublicRootOptions,
): boolean {
  return publicRoot && html !== undefined && target?.is === 'root'
}

/**
 * Decides whether a request that `authenticate` has rejected gets the public page of its route: a browser without credentials does.
 *
 * @param hasPublicPage - `isPublicPage` of the route
 * @returns the challenge, the value of `WWW-Authenticate`; `undefined` if the request is rejected
 */
export function findPublicChallenge(
  thrown: unknown,
  request: HttpRequest,
  hasPublicPage: boolean,
): string | undefined {
  return hasPublicPage && wantsPage(request.method, request.header('accept'))
    ? findMissingCredentials(thrown, request)
    : undefined
}

/**
 * Reads an error of `authenticate` that says only that credentials are missing: it is 401, and the request has neither the header field
 * `Authorization` nor one that the challenge names, as those of `apiKeyAuth` do. Credentials that were sent and are wrong stay an error.
 *
 * @returns the challenge, the value of `WWW-Authenticate`; `undefined` for any other error
 */
function findMissingCredentials(thrown: unknown, request: HttpRequest): string | undefined {
  const { errors = [] } = toErrorList(thrown) ?? {}
  const [first] = errors
  if (first === undefined || errors.some(({ status }) => status !== 401)) return undefined
  const { 'www-authenticate': challenge = '' } = 'headers' in first ? Object(first.headers) : {}
  const named = [...String(challenge).matchAll(/\bheader="([^"]+)"/g)].map(([, name = '']) =>
    name.toLowerCase(),
  )
  const isSent = ['authorization', ...named].some((name) => request.header(name) !== undefined)
  return isSent ? undefined : String(challenge)
}
