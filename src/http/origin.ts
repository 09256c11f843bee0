import { HeaderError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'

/** A host as a URL may have it: a name, an IPv4 address or a bracketed IPv6 address, and a port. */
const hostPattern = /^(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/** The parts of a request that determine its origin. */
interface OriginSource {
  readonly headers: Readonly<{ host?: string | undefined }>
  /** HTTP `1.0` does not require the `Host` header. */
  readonly httpVersion: string
  readonly socket: Readonly<{ localAddress?: string | undefined; localPort?: number | undefined }>
}

/** Returns scheme and host of the absolute links in the response to a request. */
export type OriginResolver = (source: OriginSource) => string

/**
 * Creates the resolver of a server.
 *
 * @param publicUrl - scheme and host of every link; `undefined`: each request's own
 * @returns a function that throws HeaderError `invalid_request` (400) when a request has no valid host (RFC 9112 §3.2)
 */
export function createOriginResolver(publicUrl: string | undefined): OriginResolver {
  // Clients repeat the same host, and a comparison costs less than a validation.
  let lastValidHost: string | undefined
  return (source) => {
    const { host } = source.headers
    if (host === undefined && source.httpVersion === '1.0')
      return publicUrl ?? `http://${formatLocalHost(source)}`
    if (host === undefined || (host !== lastValidHost && !isValidHost(host))) {
      const sent = host === undefined ? 'missing' : quote(host)
      throw new HeaderError('invalid_request', `The Host header must name a host; it is ${sent}.`)
    }
    lastValidHost = host
    return publicUrl ?? `http://${host}`
  }
}

function isValidHost(host: string): boolean {
  return hostPattern.test(host) && URL.canParse(`http://${host}`)
}

/** The address and port that received the request. */
function formatLocalHost({
  socket: { localAddress = '127.0.0.1', localPort },
}: OriginSource): string {
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
}
