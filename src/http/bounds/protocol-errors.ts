import { HeaderError } from '../../errors/errors.ts'
import type { ErrorResponse } from '../../serialize/errors.ts'
import { createUnknownMethod, isKnownMethod } from '../methods.ts'
import { toErrorResponse } from './raw-response.ts'
import { createHeadersTooLarge } from './request-head.ts'

/** An error of Node's HTTP parser, or of the time in which a request must arrive. */
export interface ProtocolError {
  readonly code?: string
  /** The bytes that were parsed last, a `Buffer`; absent for a request that did not arrive in time. */
  readonly rawPacket?: unknown
  /** The position of the error in them. */
  readonly bytesParsed?: number
}

/** Returns the response to bytes that Node's HTTP parser rejects. */
export function toProtocolErrorResponse(error: ProtocolError): ErrorResponse {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return toErrorResponse(createHeadersTooLarge())
    case 'ERR_HTTP_REQUEST_TIMEOUT': {
      const detail = 'The request did not arrive in time.'
      return toErrorResponse(new HeaderError('request_timeout', detail))
    }
    default: {
      const [, method] = requestLine.exec(findRequestLine(error)) ?? []
      if (method !== undefined && !isKnownMethod(method))
        return toErrorResponse(createUnknownMethod(method))
      const detail = 'The bytes received are not a valid HTTP request.'
      return toErrorResponse(new HeaderError('invalid_request', detail))
    }
  }
}

/** A request line of HTTP/1, which begins with its method. */
const requestLine = /^([\w!#$%&'*+.^`|~-]+) [!-\xff]+ HTTP\/1\.[01]$/

/** Whether the parser rejects a request with the method HEAD, as far as its last bytes tell. */
export function isRejectedHead(error: ProtocolError): boolean {
  return findRequestLine(error).startsWith('HEAD ')
}

/** Finds the request line of a head that the parser rejects; it is none if the last bytes begin in the middle of the head. */
function findRequestLine({ rawPacket, bytesParsed = 0 }: ProtocolError): string {
  if (!Buffer.isBuffer(rawPacket)) return ''
  const before = rawPacket.lastIndexOf('\r\n\r\n', bytesParsed)
  const start = before === -1 ? 0 : before + 4
  const end = rawPacket.indexOf('\r\n', start)
  return rawPacket.toString('latin1', start, end === -1 ? rawPacket.length : end)
}
