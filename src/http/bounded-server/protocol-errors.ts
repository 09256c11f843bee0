import { HeaderError } from '../../errors/errors.ts'
import type { ErrorResponse } from '../../serialize/errors.ts'
import { toErrorResponse } from './raw-response.ts'

/** Returns the response to bytes that Node's HTTP parser rejects, by the code of the parser's error. */
export function toProtocolErrorResponse(code: string | undefined): ErrorResponse {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW': {
      const detail = 'The request line and header fields together are too large.'
      return toErrorResponse(new HeaderError('headers_too_large', detail))
    }
    case 'ERR_HTTP_REQUEST_TIMEOUT': {
      const detail = 'The request did not arrive in time.'
      return toErrorResponse(new HeaderError('request_timeout', detail))
    }
    default: {
      const detail = 'The bytes received are not a valid HTTP request.'
      return toErrorResponse(new HeaderError('invalid_request', detail))
    }
  }
}
