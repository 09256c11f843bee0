import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type ApiError, BodyError, HeaderError } from '../errors/errors.ts'
import { type ErrorResponse, serializeErrors, serializeInternalError } from '../serialize/errors.ts'
import { toErrorResponse } from './bounded-server/raw-response.ts'
import { logInternalError } from './fastify/log.ts'
import { sendResponse } from './fastify/response.ts'
import { createUnavailableLogger } from './log-unavailable.ts'

/** Sends the response to a request whose processing threw an error. */
export type ErrorReporter = (
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply | undefined>

/**
 * Creates the error handler of a server. It reports an error of the request with its own status and code. It logs any
 * other error and reports it as a bare 500.
 */
export function createErrorReporter(): ErrorReporter {
  const logUnavailable = createUnavailableLogger()
  return async (error, request, reply) => {
    if (error instanceof HeaderError && error.status === 503 && error.cause !== undefined)
      logUnavailable(error, request)
    const response =
      serializeErrors(error) ??
      serializeErrors(fromFastifyError(error, request) ?? fromDisconnect(error, request)) ??
      serializeInternalError(logInternalError(error, request))
    return sendResponse(reply, response)
  }
}

/** Converts an error of Fastify's own; `undefined` for any other error. */
function fromFastifyError(error: unknown, request: FastifyRequest): ApiError | undefined {
  const { code, statusCode }: Partial<FastifyError> = error instanceof Error ? error : {}
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const { bodyLimit } = request.routeOptions
    return new BodyError('body_too_large', '', `A body may have at most ${bodyLimit} bytes.`)
  }
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') {
    return new HeaderError(
      'invalid_request',
      'The body does not have the length in Content-Length.',
    )
  }
  if (code === 'FST_ERR_BAD_URL') {
    return new HeaderError('invalid_request', 'The percent-decoded path is not valid UTF-8.')
  }
  if (statusCode !== undefined && statusCode < 500 && code?.startsWith('FST_')) {
    return new HeaderError('invalid_request', 'The request cannot be read.')
  }
  return undefined
}

/** Converts an error that the client caused by disconnecting: nobody reads its response. `undefined` for any other error. */
function fromDisconnect(
  error: unknown,
  { raw, log, method, url }: FastifyRequest,
): ApiError | undefined {
  const { code, name }: Partial<FastifyError> = error instanceof Error ? error : {}
  const isIncomplete = code === 'ECONNRESET' && !raw.complete
  if (!isIncomplete && !(name === 'AbortError' && raw.socket.destroyed)) return undefined
  log.debug({ method, url }, 'the client disconnected before its request was processed')
  return new HeaderError('invalid_request', 'The connection was closed during the request.')
}

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
