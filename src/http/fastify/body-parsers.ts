import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify'
import { toError } from '../../errors/to-error.ts'
import { createBodyReader, largeBody } from '../body-reader.ts'
import { receiveMessage } from '../receive-message.ts'
import { createLengthError } from './errors.ts'

/** The property of a request that holds its response, for the parser of its body. */
export const responseKey = Symbol('lapidary.response')

type Done = (error: Error | null, body?: Uint8Array) => void

/** Passes every body on as bytes. @param maxBody - the largest body, in bytes */
export function addBodyParsers(app: FastifyInstance, maxBody: number): void {
  const read = createBodyReader(maxBody)
  const maxSmall = Math.min(largeBody, maxBody)
  const receive = (request: FastifyRequest, payload: RequestPayload, done: Done) => {
    const { raw } = request
    const responded = awaitResponse(Reflect.get(request, responseKey))
    read(receiveMessage(raw, payload), (body) => {
      done(null, body)
      return responded
    }).catch((thrown: unknown) => {
      const error = toError(thrown)
      // A plugin of the application decodes the body: an error of its stream is one of the request.
      if (payload !== raw && !('statusCode' in error)) Object.assign(error, { statusCode: 400 })
      done(error)
    })
  }
  // Nearly every body is small and one chunk. The promises of `receive` would be several percent of the CPU time of a small write.
  const parse = (request: FastifyRequest, payload: RequestPayload, done: Done) => {
    const size = Number(request.raw.headers['content-length'])
    if (!(size <= maxSmall) || payload !== request.raw) return receive(request, payload, done)
    let received = 0
    let body: Uint8Array | undefined
    payload.on('data', (chunk: Uint8Array) => {
      const start = received
      received += chunk.length
      if (chunk.length === size) body = chunk
      else if (received <= size) {
        body ??= Buffer.allocUnsafe(size)
        body.set(chunk, start)
      }
    })
    payload.on('end', () => done(received === size ? null : createLengthError(), body))
    payload.on('error', done)
  }
  app.decorateRequest(responseKey, null)
  app.removeAllContentTypeParsers()
  // Fastify caches the parser that a regular expression has matched, so it parses the header field once.
  for (const type of [/^application\/vnd\.api\+json$/, '*']) app.addContentTypeParser(type, parse)
}

/** Waits until a response is complete, whether its client reads it or not, or its client has disconnected. */
function awaitResponse(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.once('prefinish', resolve).once('close', resolve))
}
