import { HttpError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'

/** A host as a URL may have it: a name, an IPv4 address or a bracketed IPv6 address, and a port. */
const hostPattern = /^(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/**
 * Returns scheme and host of the absolute links in the response to a request.
 *
 * @param host - the `Host` header field, or what a trusted proxy says it was
 * @param protocol - `http` or `https`
 */
type OriginResolver = (host: string | undefined, protocol: string) => string

/**
 * Creates the resolver of a server.
 *
 * @param publicUrl - scheme and host of every link; `undefined`: each request's own
 * @returns a function that throws HttpError `invalid_request` (400) when a request has no valid host (RFC 9112 §3.2)
 */
export function createOriginResolver(publicUrl: string | undefined): OriginResolver {
  // Clients repeat the same host, and a comparison costs less than a validation.
  let last: Readonly<{ host: string; protocol: string; origin: string }> | undefined
  return (host, protocol) => {
    if (last !== undefined && last.host === host && last.protocol === protocol) return last.origin
    if (host === undefined || !isValidHost(host)) {
      const sent = host === undefined ? 'missing' : quote(host)
      const detail = `The Host header must name a host; it is ${sent}.`
      throw new HttpError('invalid_request', detail, {}, { field: 'Host' })
    }
    const origin = publicUrl ?? `${protocol === 'https' ? 'https' : 'http'}://${host}`
    last = { host, protocol, origin }
    return origin
  }
}

/** Returns the origin of a request, or `undefined` when it has no valid host. */
export function findOrigin(
  resolve: OriginResolver,
  ...request: Parameters<OriginResolver>
): string | undefined {
  try {
    return resolve(...request)
  } catch {
    return undefined
  }
}

function isValidHost(host: string): boolean {
  return hostPattern.test(host) && URL.canParse(`http://${host}`)
}

/** Node's properties of a request that contain the address at which it arrived. */
interface NodeRequest {
  readonly httpVersion: string
  readonly socket: Readonly<{ localAddress?: string | undefined; localPort?: number | undefined }>
}

/** Returns the address and port that received a request of HTTP 1.0, which requires no `Host`; otherwise `undefined`. */
export function getLocalHost({ httpVersion, socket }: NodeRequest): string | undefined {
  if (httpVersion !== '1.0') return undefined
  const { localAddress = '127.0.0.1', localPort } = socket
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
}
