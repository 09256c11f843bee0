import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { mediaType } from '../../parse/negotiate.ts'
import type { DocumentText } from '../../serialize/document.ts'
import { logInternalError } from './log.ts'

/** The header fields of every response; `nosniff` prevents browsers from running a document as HTML or a script. */
export const commonHeaders = { vary: 'Accept', 'x-content-type-options': 'nosniff' } as const

/** A response of a handler or an error response. */
interface Sendable {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: DocumentText
}

/**
 * Sends a response. A string leaves together with its head in one write. A stream leaves as fast as the client reads it.
 *
 * @returns `undefined` for a string, which is sent; for a stream a promise of the reply, for the Fastify handler to return
 * @see https://jsonapi.org/format/1.0/#content-negotiation-servers
 */
export function sendResponse(
  reply: FastifyReply,
  { status, headers, body }: Sendable,
): Promise<FastifyReply> | undefined {
  reply
    .code(status)
    .header('content-type', mediaType)
    .header('vary', commonHeaders.vary)
    .header('x-content-type-options', commonHeaders['x-content-type-options'])
  if (headers) reply.headers(headers)
  if (typeof body !== 'string') return sendStream(reply, body)
  // Without a serializer Fastify adds a charset to the media type, which JSON:API forbids.
  reply.serializer(identity).send(body)
  return undefined
}

const identity = (text: string): string => text

async function sendStream(reply: FastifyReply, body: AsyncIterable<string>): Promise<FastifyReply> {
  const chunks = await startStream(body, reply.request)
  if (reply.request.method !== 'HEAD') return reply.send(Readable.from(chunks))
  await chunks.return()
  return reply.send()
}

/**
 * Reads the first chunk before the server sends the head. An error in it is reported as an error document. A generator
 * that has begun releases its database connection however it ends; one that never began would not. A later error can only
 * cut the response off: it is logged.
 */
async function startStream(body: AsyncIterable<string>, request: FastifyRequest) {
  const rest = body[Symbol.asyncIterator]()
  let first: IteratorResult<string> | undefined = await rest.next()
  const readNext = async (): Promise<IteratorResult<string>> => {
    try {
      return await rest.next()
    } catch (error) {
      logInternalError(error, request)
      throw error
    }
  }
  const chunks = {
    next: async (): Promise<IteratorResult<string>> => {
      const chunk = first ?? (await readNext())
      first = undefined
      return chunk
    },
    return: async (): Promise<IteratorResult<string>> => {
      await rest.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => chunks,
  }
  return chunks
}
