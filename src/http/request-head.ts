import type { IncomingMessage } from 'node:http'
import { HeaderError, quoted } from '../errors/errors.ts'

/**
 * Makes the check of what must be right before anything else of a request is looked at.
 *
 * @param allowedHosts - hosts, with a port or without; one without a port stands for any port. Empty: every host
 * @returns a function that returns the error of a request, if it has one: `invalid_request` (400) for two `Host`
 *   fields (RFC 9112 §3.2), `misdirected_request` (421) for a host that is not served, `unsupported_coding` (501) for a
 *   `Transfer-Encoding` other than `chunked` (RFC 9112 §6.1)
 */
export function requestHeadCheck(
  allowedHosts: readonly string[],
): (request: IncomingMessage) => HeaderError | undefined {
  const isServed = hostCheck(allowedHosts)
  return ({ rawHeaders }) => {
    let host: string | undefined
    let coding: string | undefined
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] ?? ''
      // The lengths of `host` and `transfer-encoding`: hardly any other name is looked at.
      if (name.length === 4 && name.toLowerCase() === 'host') {
        if (host !== undefined) return repeatedHost()
        host = rawHeaders[at + 1]
      } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
        coding = coding === undefined ? rawHeaders[at + 1] : `${coding}, ${rawHeaders[at + 1]}`
      }
    }
    if (host !== undefined && !isServed(host)) return notServed(host)
    if (coding !== undefined && coding.toLowerCase() !== 'chunked') return unknownCoding(coding)
    return undefined
  }
}

/** The hosts to allow: those of the setting, and the one of the public address. */
export function withPublicHost(
  allowedHosts: readonly string[],
  publicUrl: string | undefined,
): readonly string[] {
  if (allowedHosts.length === 0 || publicUrl === undefined) return allowedHosts
  return [...allowedHosts, new URL(publicUrl).host]
}

function hostCheck(allowedHosts: readonly string[]): (host: string) => boolean {
  if (allowedHosts.length === 0) return () => true
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()))
  let lastServed: string | undefined
  return (host) => {
    if (host === lastServed) return true
    const name = host.toLowerCase()
    if (!allowed.has(name) && !allowed.has(name.replace(/:\d*$/, ''))) return false
    lastServed = host
    return true
  }
}

/** Nothing more is read after a head that cannot be trusted. */
const closes = { connection: 'close' }

function repeatedHost(): HeaderError {
  const detail = 'The Host header is repeated; it must be sent once.'
  return new HeaderError('invalid_request', detail, closes)
}

function notServed(host: string): HeaderError {
  return new HeaderError('misdirected_request', `The host ${quoted(host)} is not served here.`)
}

function unknownCoding(coding: string): HeaderError {
  const detail = `The transfer coding ${quoted(coding)} is not supported; chunked is.`
  return new HeaderError('unsupported_coding', detail, closes)
}
