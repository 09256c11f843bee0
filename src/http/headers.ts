import type { Route } from '../endpoints/route-table.ts'
import { HttpError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { type Check, mustBe } from '../model/check/option-checks.ts'
import { atomicExtension, mediaType } from '../model/media-types.ts'
import type { Model } from '../model/model.ts'
import { negotiate, negotiateExtension, negotiateProfiles } from '../parse/negotiate.ts'
import type { HttpRequest } from './request.ts'

/** The longest request target, in bytes. It holds the filters of a request. */
export const maxUrlLength = 32 * 1024

/** The header fields of every response of the API; `nosniff` prevents browsers from running a document as HTML or a script. */
export const commonHeaders = { vary: 'Accept', 'x-content-type-options': 'nosniff' } as const

/** The value of `Cache-Control` in responses that are the same for everybody: a cache asks whether what it stored is current. */
const publicCacheControl = 'no-cache'

/** The header fields of every response with a document. */
export const documentHeaders = {
  'content-type': mediaType,
  ...commonHeaders,
  'cache-control': publicCacheControl,
} as const

/** The options that say which header fields have the credentials of a request. */
export interface CredentialOptions {
  readonly authenticate?: object | undefined
  readonly credentialFields?: readonly string[] | undefined
}

/** The value of `Cache-Control` in responses that depend on the identity: no shared cache stores them, and no cache reuses them unasked. */
export const privateCacheControl = 'private, no-cache'

/** The header fields of the credentials of a function that does not name them. */
const usualFields = ['Authorization', 'Cookie']

/**
 * Returns the header fields of every response that depends on the identity of its request: those of every document, and what keeps a
 * cache from giving it to another identity. Without them a cache may store a response, also an error, and reuse it: only `Authorization`
 * forbids this (RFC 9111 §3.5, §4.2.2), and not `Cookie` or the field of an API key.
 */
export function createIdentityHeaders({
  authenticate,
  credentialFields = [],
}: CredentialOptions): Readonly<Record<string, string>> {
  const known: unknown = authenticate && Reflect.get(authenticate, 'credentialFields')
  const fields = [...(Array.isArray(known) ? known : usualFields), ...credentialFields]
  const vary = [...new Set([commonHeaders.vary, ...fields])].join(', ')
  return { ...documentHeaders, vary, 'cache-control': privateCacheControl }
}

/** Returns the header fields of every response of a mount. Without `authenticate` all requests have the same identity: nobody. */
export function createMountHeaders(options: CredentialOptions): Readonly<Record<string, string>> {
  return options.authenticate === undefined ? documentHeaders : createIdentityHeaders(options)
}

/**
 * Returns the header fields of a response that is sent by a host which may have set some before: its names in `Vary` are kept, and so is
 * its `Cache-Control` unless the response has one of its own.
 *
 * @param host - knows what the host has set, by its name in lower case
 */
export function keepHostFields(
  headers: Readonly<Record<string, string>>,
  host: Readonly<{ getHeader: (name: string) => unknown }>,
): Readonly<Record<string, string>> {
  const vary = host.getHeader('vary')
  const isDefault = [privateCacheControl, publicCacheControl].includes(
    headers['cache-control'] ?? '',
  )
  const caching = isDefault ? host.getHeader('cache-control') : undefined
  if (vary === undefined && caching === undefined) return headers
  return {
    ...headers,
    ...(vary !== undefined && { vary: extendVary(vary, headers.vary) }),
    ...(caching !== undefined && { 'cache-control': String(caching) }),
  }
}

/**
 * Adds names to the `Vary` header field that the application has set already (RFC 9110 §12.5.5).
 * @param added - default: `Accept`
 */
function extendVary(present: unknown, added: string = commonHeaders.vary): string {
  const names = Array.isArray(present) ? present.join(', ') : String(present ?? '')
  if (names === '') return added
  const known = names.split(',').map((name) => name.trim().toLowerCase())
  if (known.includes('*')) return names
  const missing = added.split(', ').filter((name) => !known.includes(name.toLowerCase()))
  return [names, ...missing].join(', ')
}

/** Checks the option `credentialFields`. */
export const credentialFieldsCheck: Check = mustBe(
  'an array of header fields such as "x-user"',
  (value) =>
    Array.isArray(value) &&
    value.every((name) => typeof name === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(name)),
)

/**
 * Checks the head of a request, before its body is read.
 * @throws HttpError `invalid_request` (400) for the target `*` of another method than OPTIONS, `url_too_long` (414),
 *   `unsupported_media_type` (415), `not_acceptable` (406)
 */
export function checkHead(
  request: HttpRequest,
  { isAtomic = false }: Pick<Route, 'isAtomic'>,
  { jsonapi, atomic }: Pick<Model, 'jsonapi' | 'atomic'>,
): void {
  const { method, target, hasBody, header } = request
  if (target.length > maxUrlLength)
    throw new HttpError('url_too_long', `A URL may have at most ${maxUrlLength} bytes.`)
  if (target === '*' && method !== 'OPTIONS') throw createAsteriskError(method)
  const headers = {
    method,
    hasBody,
    accept: header('accept'),
    contentType: header('content-type'),
    contentEncoding: header('content-encoding'),
  }
  if (isAtomic) negotiateExtension(headers, atomicExtension)
  else if (jsonapi === '1.1') negotiateProfiles(headers, atomic ? [atomicExtension] : [])
  else negotiate(headers)
}

/** Returns the error of a method that cannot have the target `*` (RFC 9112 §3.2.4). */
export function createAsteriskError(method: string | undefined): HttpError {
  const detail = `The target "*" is for OPTIONS only; the target of ${method} is a path, such as "/".`
  return new HttpError('invalid_request', detail)
}

/** True if the header fields announce a body of at least one byte (RFC 9112 §6.3). */
export function announcesBody(
  headers: Readonly<Partial<Record<'transfer-encoding' | 'content-length', string | undefined>>>,
): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Returns the error of a path whose bytes are not UTF-8 after percent-decoding. */
export function createUndecodablePath(): HttpError {
  return new HttpError('invalid_request', 'The percent-decoded path is not valid UTF-8.')
}

/** Returns the error of a path without a route. @param target - the request target */
export function createRouteNotFound(target: string): HttpError {
  const [path = ''] = target.split('?', 1)
  return new HttpError(
    'route_not_found',
    `There is no route ${quote(path)}; the root document lists the resources and their paths.`,
  )
}

/** Returns the query string of a request target, without the `?`; empty if it has none. */
export function getQueryString(target: string): string {
  const mark = target.indexOf('?')
  return mark === -1 ? '' : target.slice(mark + 1)
}
