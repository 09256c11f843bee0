import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { DocumentText } from '../document/document.ts'
import { mediaType } from '../request/negotiate.ts'

/** The headers of every answer (SERVICE §7). */
export const everyAnswer = { vary: 'Accept' } as const

/** A status, headers and a document, whoever made them. */
interface Sendable {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: DocumentText
}

/**
 * Sends an answer. Bytes leave as a buffer, because Fastify adds a charset to the type of a string (NEG-1 forbids it);
 * a document in pieces leaves as fast as the client reads it.
 */
export async function send(
  reply: FastifyReply,
  { status, headers, body }: Sendable,
): Promise<FastifyReply> {
  reply.code(status).header('content-type', mediaType).header('vary', everyAnswer.vary)
  if (headers) reply.headers(headers)
  if (typeof body === 'string') return reply.send(Buffer.from(body))
  const pieces = await started(body)
  if (reply.request.method !== 'HEAD') return reply.send(Readable.from(pieces))
  await pieces.return()
  return reply.send()
}

/**
 * Reads the first piece before anything is sent: what fails at once is still told as an error, and a generator that
 * has begun gives its connection back however it ends, which one that never began would not.
 */
async function started(body: AsyncIterable<string>) {
  const rest = body[Symbol.asyncIterator]()
  let first: IteratorResult<string> | undefined = await rest.next()
  const pieces = {
    next: async (): Promise<IteratorResult<string>> => {
      const piece = first ?? (await rest.next())
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
