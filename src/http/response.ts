import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { mediaType } from '../parse/negotiate.ts'
import type { DocumentText } from '../serialize/document.ts'
import { logFailure } from './log.ts'

/** The header fields of every response; `nosniff` keeps browsers from taking a document for HTML or a script. */
export const everyAnswer = { vary: 'Accept', 'x-content-type-options': 'nosniff' } as const

/** A status, headers and a document, whoever made them. */
interface Sendable {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: DocumentText
}

/**
 * Sends an answer. A text has a serializer of its own, because else Fastify adds a charset to its type (NEG-1 forbids
 * it); a text and its head leave by one write. A document in pieces leaves as fast as the client reads it.
 *
 * @returns the reply while it is being sent, for the handler to return; nothing when it is sent already
 */
export function send(
  reply: FastifyReply,
  { status, headers, body }: Sendable,
): Promise<FastifyReply> | undefined {
  reply.code(status).header('content-type', mediaType).headers(everyAnswer)
  if (headers) reply.headers(headers)
  if (typeof body !== 'string') return sendPieces(reply, body)
  reply.serializer(asItIs).send(body)
  return undefined
}

const asItIs = (text: string): string => text

async function sendPieces(reply: FastifyReply, body: AsyncIterable<string>): Promise<FastifyReply> {
  const pieces = await started(body, reply.request)
  if (reply.request.method !== 'HEAD') return reply.send(Readable.from(pieces))
  await pieces.return()
  return reply.send()
}

/**
 * Reads the first piece before anything is sent: what fails at once is still told as an error, and a generator that
 * has begun gives its connection back however it ends, which one that never began would not. What fails later can
 * only cut the answer off: it is logged.
 */
async function started(body: AsyncIterable<string>, request: FastifyRequest) {
  const rest = body[Symbol.asyncIterator]()
  let first: IteratorResult<string> | undefined = await rest.next()
  const later = async (): Promise<IteratorResult<string>> => {
    try {
      return await rest.next()
    } catch (error) {
      logFailure(error, request)
      throw error
    }
  }
  const pieces = {
    next: async (): Promise<IteratorResult<string>> => {
      const piece = first ?? (await later())
      first = undefined
      return piece
    },
    return: async (): Promise<IteratorResult<string>> => {
      await rest.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => pieces,
  }
  return pieces
}
