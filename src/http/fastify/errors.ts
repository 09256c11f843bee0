import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type ApiError, HeaderError } from '../../errors/errors.ts'
import type { Logger } from '../../model/request-context.ts'
import { createErrorResponder } from '../errors.ts'
import { createUndecodablePath } from '../headers.ts'
import { createBodyTooLarge } from '../incoming-body.ts'
import type { ResponseSender } from './response.ts'

/** Sends the response to a request whose processing threw an error. */
export type ErrorReporter = (
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply | undefined>

/**
 * Creates the error handler of the routes of an application.
 * @param log - the logger of the application
 * @param send - sends a response
 */
export function createErrorReporter(log: Logger, send: ResponseSender): ErrorReporter {
  const respond = createErrorResponder(log)
  return async (error, request, reply) => {
    const { method, url, raw } = request
    const response = respond(fromFastifyError(error, request) ?? error, {
      method,
      url,
      log: request.log,
      isDisconnected: raw.socket.destroyed || !raw.complete,
    })
    return send(reply, response)
  }
}

/** Converts an error of Fastify's own that has a code of the engine; `undefined` for any other error. */
function fromFastifyError(error: unknown, request: FastifyRequest): ApiError | undefined {
  const { code }: Partial<FastifyError> = error instanceof Error ? error : {}
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const { bodyLimit } = request.routeOptions
    return createBodyTooLarge(Number(bodyLimit))
  }
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') return createLengthError()
  if (code === 'FST_ERR_BAD_URL') return createUndecodablePath()
  return undefined
}

/** Creates the error of a body that is shorter or longer than announced. Only a client in the process can send one. */
export function createLengthError(): ApiError {
  return new HeaderError('invalid_request', 'The body does not have the length in Content-Length.')
}
