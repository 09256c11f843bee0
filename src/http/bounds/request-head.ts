import type { IncomingMessage } from 'node:http'
import { HttpError } from '../../errors/errors.ts'
import { quote } from '../../errors/quote.ts'
import { createAsteriskError } from '../headers.ts'

/** The hosts that a server accepts. */
export interface AcceptedHosts {
  /**
   * Hosts, with a port or without; one without a port accepts any port, and `*` is every host. The host of `publicUrl` is accepted with
   * them. Empty: every host, but only the names of a loopback address if the server listens on one and has no `publicUrl`.
   */
  readonly allowedHosts: readonly string[]
  readonly publicUrl: string | undefined
  /** True if the server listens on a loopback address. */
  readonly isLocal: boolean
}

/** What the head of a request is checked for. */
interface HeadLimits extends AcceptedHosts {
  /** Request line and header fields together, in bytes. */
  readonly maxHeaderSize: number
}

/**
 * Creates the check of the head that the server checks before anything else.
 *
 * @returns a function that returns the error of a request, if it has one: `invalid_request` (400) for a request line without the version
 *   1.0 or 1.1 (RFC 9112 §3) or with the target `*`, `headers_too_large` (431), `invalid_request` for two `Host`
 *   fields (RFC 9112 §3.2), `misdirected_request` (421) for a host
 *   that is not accepted, in the field or in the URL of the request line (RFC 9112 §3.2.2), `unsupported_coding` (501) for a
 *   `Transfer-Encoding` other than `chunked` (RFC 9112 §6.1)
 */
export function createHeadCheck(
  hosts: HeadLimits,
): (request: IncomingMessage) => HttpError | undefined {
  const isAccepted = createHostCheck(hosts)
  return (request) => {
    const error = checkRequestLine(request)
    if (error !== undefined) return error
    const { rawHeaders, url = '/' } = request
    let size = url.length
    let host: string | undefined
    let coding: string | undefined
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] ?? ''
      size += name.length + (rawHeaders[at + 1]?.length ?? 0)
      // The lengths of `host` and `transfer-encoding` exclude most other names without a comparison.
      if (name.length === 4 && (name === 'Host' || name.toLowerCase() === 'host')) {
        if (host !== undefined) return repeatedHostError()
        host = rawHeaders[at + 1]
      } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
        coding = coding === undefined ? rawHeaders[at + 1] : `${coding}, ${rawHeaders[at + 1]}`
      }
    }
    if (size >= hosts.maxHeaderSize) return createHeadersTooLarge()
    if (host !== undefined && isAccepted?.(host) === false)
      return misdirectedError(host, hosts.allowedHosts)
    const target = url.startsWith('/') ? undefined : findAuthority(url)
    if (target !== undefined && isAccepted?.(target) === false)
      return misdirectedError(target, hosts.allowedHosts)
    if (coding !== undefined && coding.toLowerCase() !== 'chunked')
      return unsupportedCodingError(coding)
    return undefined
  }
}

function checkRequestLine(request: IncomingMessage): HttpError | undefined {
  const { method, url, httpVersionMajor, httpVersion } = request
  if (httpVersionMajor !== 1) return versionError(httpVersion)
  return url === '*' && method !== 'OPTIONS' ? createAsteriskError(method) : undefined
}

/** Returns the error of a head that is too large. */
export function createHeadersTooLarge(): HttpError {
  const detail = 'The request line and header fields together are too large.'
  return new HttpError('headers_too_large', detail)
}

/** Node says that a request line without a version has the version 0.9. */
function versionError(version: string): HttpError {
  const sent = version === '0.9' ? 'has none' : `has HTTP/${version}`
  const detail = `The request line ends with the version, HTTP/1.1 or HTTP/1.0; this one ${sent}.`
  return new HttpError('invalid_request', detail, closeConnection)
}

/** Returns host and port of an absolute URL in a request line. */
function findAuthority(url: string): string | undefined {
  return /^https?:\/\/([^/?#]*)/i.exec(url)?.[1]
}

/** Whether a server that listens on an address is reached from its own machine only. @param address - of `server.address()` */
export function isLoopback(address: string | Readonly<{ address: string }> | null): boolean {
  if (address === null || typeof address === 'string') return false
  return /^(::1|(::ffff:)?127\.[\d.]+)$/.test(address.address)
}

/**
 * The names of a loopback address, with any port: the host `localhost`, 127.0.0.0/8 or ::1. A web page can give its own name this
 * address, and the browser would then send it what the server responds (DNS rebinding).
 */
const localHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d*)?$/

/** Creates the check of hosts; `undefined` if every host is accepted. */
function createHostCheck({
  allowedHosts,
  publicUrl,
  isLocal,
}: AcceptedHosts): ((host: string) => boolean) | undefined {
  if (allowedHosts.includes('*')) return undefined
  if (allowedHosts.length === 0)
    return publicUrl === undefined && isLocal
      ? rememberLast((host) => localHost.test(host))
      : undefined
  const publicHosts = publicUrl === undefined ? [] : [new URL(publicUrl).host]
  const allowed = new Set([...allowedHosts, ...publicHosts].map((host) => host.toLowerCase()))
  return rememberLast((host) => allowed.has(host) || allowed.has(host.replace(/:\d*$/, '')))
}

/**
 * Accepts the host that was accepted last without a check. The check gets a host in lower case, without the dot at the end of a
 * complete name.
 */
function rememberLast(isAccepted: (host: string) => boolean): (host: string) => boolean {
  let last: string | undefined
  return (host) => {
    if (host === last) return true
    if (!isAccepted(host.toLowerCase().replace(/\.(?=(:\d*)?$)/, ''))) return false
    last = host
    return true
  }
}

/** The server reads nothing more after a head with ambiguous framing. */
const closeConnection = { connection: 'close' }

function repeatedHostError(): HttpError {
  const detail = 'The Host header is repeated; it must be sent once.'
  return new HttpError('invalid_request', detail, closeConnection)
}

function misdirectedError(host: string, allowedHosts: readonly string[]): HttpError {
  const isListed = allowedHosts.length > 0
  const reason = isListed ? '' : ': the server listens on a loopback address'
  const remedy = isListed ? '' : ' Set PUBLIC_URL (publicUrl) or ALLOWED_HOSTS (allowedHosts).'
  const detail = `The host ${quote(host)} is not served here${reason}.${remedy}`
  return new HttpError('misdirected_request', detail)
}

function unsupportedCodingError(coding: string): HttpError {
  const detail = `The transfer coding ${quote(coding)} is not supported; chunked is.`
  return new HttpError('unsupported_coding', detail, closeConnection)
}
