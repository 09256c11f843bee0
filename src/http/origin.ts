import { HeaderError, quoted } from '../errors/errors.ts'

/** A host as a URL may have it: a name, an IPv4 address or a bracketed IPv6 address, and a port. */
const hostPattern = /^(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/** What of a request its origin is made from. */
export interface OriginSource {
  readonly headers: Readonly<{ host?: string | undefined }>
  /** `1.0` clients need not send a host. */
  readonly httpVersion: string
  readonly socket: Readonly<{ localAddress?: string | undefined; localPort?: number | undefined }>
}

/** The last host that could be used: clients of a server say the same again and again, and looking at it costs. */
let lastUsable: string | undefined

/**
 * The scheme and host of absolute links: the service's own if it has one, else the request's.
 * @throws HeaderError `invalid_request` (400) when the request names no usable host (RFC 9112 §3.2)
 */
export function originOf(publicUrl: string | undefined, source: OriginSource): string {
  const { host } = source.headers
  if (host === undefined && source.httpVersion === '1.0')
    return publicUrl ?? `http://${ownHost(source)}`
  if (host === undefined || (host !== lastUsable && !isUsable(host))) {
    const sent = host === undefined ? 'there is none' : `it is ${quoted(host)}`
    throw new HeaderError('invalid_request', `The Host header must name the host; ${sent}.`)
  }
  lastUsable = host
  return publicUrl ?? `http://${host}`
}

function isUsable(host: string): boolean {
  return hostPattern.test(host) && URL.canParse(`http://${host}`)
}

/** Where the request has arrived. */
function ownHost({ socket: { localAddress = '127.0.0.1', localPort } }: OriginSource): string {
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
}
