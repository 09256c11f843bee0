import type { FastifyReply, FastifyRequest } from 'fastify'
import type { StaticFile } from '../../handlers/static-file.ts'
import { extendVary } from '../headers.ts'
import { createFileResponder } from '../static-files.ts'
import type { ErrorReporter } from './errors.ts'

/** Creates the handler of a route with a file. */
export function createFileHandler(file: StaticFile, reportError: ErrorReporter) {
  const respond = createFileResponder(file)
  return async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      const { headers } = request
      const response = await respond({
        acceptEncoding: headers['accept-encoding']?.toString(),
        ifNoneMatch: headers['if-none-match'],
      })
      const vary = extendVary(reply.getHeader('vary'), response.headers.vary)
      return reply
        .code(response.status)
        .headers({ ...response.headers, vary })
        .send(response.body)
    } catch (error) {
      return reportError(error, request, reply)
    }
  }
}
