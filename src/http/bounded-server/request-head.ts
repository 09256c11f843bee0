import type { IncomingMessage } from 'node:http'
import { HeaderError } from '../../errors/errors.ts'
import { quote } from '../../errors/quote.ts'

/**
 * Creates the check of the header fields that the server checks before anything else.
 *
 * @param allowedHosts - hosts, with a port or without; one without a port accepts any port. Empty: every host
 * @returns a function that returns the error of a request, if it has one: `invalid_request` (400) for two `Host`
 *   fields (RFC 9112 §3.2) or one that differs from HTTP/2's `:authority` (RFC 9113 §8.3.1), `misdirected_request` (421) for a host that is not allowed, `unsupported_coding` (501) for a
 *   `Transfer-Encoding` other than `chunked` (RFC 9112 §6.1)
 */
export function createHeadCheck(
  allowedHosts: readonly string[],
): (request: IncomingMessage) => HeaderError | undefined {
  const isAllowedHost = createHostCheck(allowedHosts)
  return ({ rawHeaders }) => {
    let host: string | undefined
    let authority: string | undefined
    let coding: string | undefined
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] ?? ''
      // The lengths of `host` and `transfer-encoding` exclude most other names without a comparison.
      if (name.length === 4 && (name === 'Host' || name.toLowerCase() === 'host')) {
        if (host !== undefined) return repeatedHostError()
        host = rawHeaders[at + 1]
      } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
        coding = coding === undefined ? rawHeaders[at + 1] : `${coding}, ${rawHeaders[at + 1]}`
      } else if (name === ':authority') authority = rawHeaders[at + 1]
    }
    if (authority !== undefined) {
      if (host !== undefined && host !== authority) return otherHostError(host, authority)
      host = authority
    }
    if (host !== undefined && isAllowedHost?.(host) === false) return disallowedHostError(host)
    if (coding !== undefined && coding.toLowerCase() !== 'chunked')
      return unsupportedCodingError(coding)
    return undefined
  }
}

/** Adds the host of the public URL to the allowed hosts; an empty list stays empty. */
export function addPublicHost(
  allowedHosts: readonly string[],
  publicUrl: string | undefined,
): readonly string[] {
  if (allowedHosts.length === 0 || publicUrl === undefined) return allowedHosts
  return [...allowedHosts, new URL(publicUrl).host]
}

/** Creates the check of hosts; `undefined` if every host is accepted. */
function createHostCheck(allowedHosts: readonly string[]): ((host: string) => boolean) | undefined {
  if (allowedHosts.length === 0) return undefined
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()))
  let lastAllowed: string | undefined
  return (host) => {
    if (host === lastAllowed) return true
    const name = host.toLowerCase()
    if (!allowed.has(name) && !allowed.has(name.replace(/:\d*$/, ''))) return false
    lastAllowed = host
    return true
  }
}

/** The server reads nothing more after a head with ambiguous framing. */
const closeConnection = { connection: 'close' }

function repeatedHostError(): HeaderError {
  const detail = 'The Host header is repeated; it must be sent once.'
  return new HeaderError('invalid_request', detail, closeConnection)
}

function otherHostError(host: string, authority: string): HeaderError {
  const detail = `The Host header is ${quote(host)}, but :authority is ${quote(authority)}.`
  return new HeaderError('invalid_request', detail)
}

function disallowedHostError(host: string): HeaderError {
  return new HeaderError('misdirected_request', `The host ${quote(host)} is not served here.`)
}

function unsupportedCodingError(coding: string): HeaderError {
  const detail = `The transfer coding ${quote(coding)} is not supported; chunked is.`
  return new HeaderError('unsupported_coding', detail, closeConnection)
}
