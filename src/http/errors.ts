import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type ApiError, BodyError, HeaderError } from '../errors/errors.ts'
import { type ErrorAnswer, errorAnswer, internalErrorAnswer } from '../serialize/errors.ts'
import { logFailure } from './log.ts'
import { logUnavailable } from './log-unavailable.ts'
import { errorResponse } from './raw-response.ts'
import { send } from './response.ts'

/** Tells whatever was thrown while a request was answered: the client's faults as such, ours as a bare 500. */
export async function tellError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  if (error instanceof HeaderError && error.status === 503 && error.cause !== undefined)
    logUnavailable(error, request)
  const answer =
    errorAnswer(error) ?? errorAnswer(ofFastify(error, request) ?? ofClient(error, request))
  return send(reply, answer ?? internalErrorAnswer(logFailure(error, request)))
}

/** Fastify's own refusals, as ours; `undefined` for anything else. */
function ofFastify(error: unknown, request: FastifyRequest): ApiError | undefined {
  const { code, statusCode }: Partial<FastifyError> = error instanceof Error ? error : {}
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const most = request.routeOptions.bodyLimit
    return new BodyError('body_too_large', '', `A body may have at most ${most} bytes.`)
  }
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') {
    return new HeaderError('invalid_request', 'The body is not as long as Content-Length says.')
  }
  if (code === 'FST_ERR_BAD_URL') {
    return new HeaderError(
      'invalid_request',
      'The path of the URL is not valid UTF-8 once its percent signs are decoded.',
    )
  }
  if (statusCode !== undefined && statusCode < 500 && code?.startsWith('FST_')) {
    return new HeaderError('invalid_request', 'The request cannot be read.')
  }
  return undefined
}

/**
 * The client disconnected: nobody reads the response, and the server has not failed. `undefined` for any other error.
 */
function ofClient(error: unknown, { raw, log, method, url }: FastifyRequest): ApiError | undefined {
  const { code, name }: Partial<FastifyError> = error instanceof Error ? error : {}
  const isCutOff = code === 'ECONNRESET' && !raw.complete
  if (!isCutOff && !(name === 'AbortError' && raw.socket.destroyed)) return undefined
  log.debug({ method, url }, 'the client disconnected before its request was processed')
  return new HeaderError('invalid_request', 'The connection was closed during the request.')
}

/** What Node's parser says of bytes that are no request, as an answer. */
export function protocolFault(code: string | undefined): ErrorAnswer {
  const fault =
    code === 'HPE_HEADER_OVERFLOW'
      ? new HeaderError(
          'headers_too_large',
          'The request line and header fields are too long together.',
        )
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? new HeaderError('request_timeout', 'The request did not arrive in time.')
        : new HeaderError('invalid_request', 'The bytes sent are no HTTP request.')
  return errorResponse(fault)
}
