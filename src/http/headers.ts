import { HeaderError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { mediaType, negotiate } from '../parse/negotiate.ts'

/** The longest request target, in bytes. It holds the filters of a request. */
export const maxUrlLength = 32 * 1024

/** The header fields of every response; `nosniff` prevents browsers from running a document as HTML or a script. */
export const commonHeaders = { vary: 'Accept', 'x-content-type-options': 'nosniff' } as const

/** The header fields of every response with a document. */
export const documentHeaders = { 'content-type': mediaType, ...commonHeaders } as const

/** The parts of a request that are checked before its body is read. */
interface RequestHead {
  readonly method: string
  /** The request target: path and query string. */
  readonly target: string
  readonly accept: string | undefined
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
  /** True if the request has a body of at least one byte. */
  readonly hasBody: boolean
}

/**
 * Checks the head of a request, before its body is read.
 * @throws HeaderError `invalid_request` (400) for the target `*` of another method than OPTIONS, `url_too_long` (414),
 *   `unsupported_media_type` (415), `not_acceptable` (406)
 */
export function checkHead(head: RequestHead): void {
  if (head.target.length > maxUrlLength)
    throw new HeaderError('url_too_long', `A URL may have at most ${maxUrlLength} bytes.`)
  if (head.target === '*' && head.method !== 'OPTIONS') throw createAsteriskError(head.method)
  negotiate(head)
}

/** Returns the error of a method that cannot have the target `*` (RFC 9112 §3.2.4). */
export function createAsteriskError(method: string | undefined): HeaderError {
  const detail = `The target "*" is for OPTIONS only; the target of ${method} is a path, such as "/".`
  return new HeaderError('invalid_request', detail)
}

/** True if the header fields announce a body of at least one byte (RFC 9112 §6.3). */
export function announcesBody(
  headers: Readonly<Partial<Record<'transfer-encoding' | 'content-length', string | undefined>>>,
): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * Adds names to the `Vary` header field that the application has set already (RFC 9110 §12.5.5).
 * @param added - default: `Accept`
 */
export function extendVary(present: unknown, added: string = commonHeaders.vary): string {
  const names = Array.isArray(present) ? present.join(', ') : String(present ?? '')
  if (names === '') return added
  const known = names.split(',').map((name) => name.trim().toLowerCase())
  if (known.includes('*')) return names
  const missing = added.split(', ').filter((name) => !known.includes(name.toLowerCase()))
  return [names, ...missing].join(', ')
}

/** Returns the error of a path whose bytes are not UTF-8 after percent-decoding. */
export function createUndecodablePath(): HeaderError {
  return new HeaderError('invalid_request', 'The percent-decoded path is not valid UTF-8.')
}

/** Returns the error of a path without a route. @param target - the request target */
export function createRouteNotFound(target: string): HeaderError {
  const [path = ''] = target.split('?', 1)
  return new HeaderError(
    'route_not_found',
    `There is no route ${quote(path)}; the root document lists the resources and their paths.`,
  )
}
