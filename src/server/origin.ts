import { HeaderError, quoted } from '../errors/errors.ts'

/** A host as a URL may have it: a name, an IPv4 address or a bracketed IPv6 address, and a port. */
const hostPattern = /^(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/** What of a request its origin is made from. */
export interface OriginSource {
  readonly host: string | undefined
  /** `1.0` clients need not send a host. */
  readonly httpVersion: string
  readonly localAddress: string | undefined
  readonly localPort: number | undefined
}

/**
 * The scheme and host of absolute links: the service's own if it has one, else the request's.
 * @throws HeaderError `invalid_request` (400) when the request names no usable host (RFC 9112 §3.2)
 */
export function originOf(publicUrl: string | undefined, source: OriginSource): string {
  const { host, httpVersion, localAddress = '127.0.0.1', localPort } = source
  if (host === undefined && httpVersion === '1.0') {
    const name = localAddress.includes(':') ? `[${localAddress}]` : localAddress
    return publicUrl ?? `http://${name}:${localPort}`
  }
  if (host === undefined || !hostPattern.test(host) || !URL.canParse(`http://${host}`)) {
    const sent = host === undefined ? 'there is none' : `it is ${quoted(host)}`
    throw new HeaderError('invalid_request', `The Host header must name the host; ${sent}.`)
  }
  return publicUrl ?? `http://${host}`
}
