import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Route } from '../../handlers/route-table.ts'
import type { DocumentText } from '../../serialize/document.ts'
import { extendVary } from '../headers.ts'
import { choosePrivateCacheControl } from '../identity-headers.ts'
import { logInternalError } from '../log-internal-error.ts'
import { startStream } from '../stream.ts'
import { countStreamedBytes } from './access-log.ts'

/** A response of a handler or an error response. */
export interface Sendable {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: DocumentText
}

/** Sends a response to a request. @param route - absent for an error */
export type ResponseSender = (
  reply: FastifyReply,
  response: Sendable,
  route?: Route,
) => Promise<FastifyReply | undefined> | undefined

/** Creates the function that sends responses. @param common - the header fields of every response */
export function createJsonSender(common: Readonly<Record<string, string>>): ResponseSender {
  const fields = Object.entries(common)
  const isPrivate = common['cache-control'] !== undefined
  const known = { fields, vary: common.vary, isPrivate }
  return (reply, response) => sendResponse(reply, response, known)
}

/** The header fields of every response of a mount. */
interface CommonFields {
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly vary: string | undefined
  /** True if responses depend on the identity. */
  readonly isPrivate: boolean
}

/**
 * Sends a response. A string leaves together with its head in one write. A stream leaves as fast as the client reads it.
 *
 * @returns `undefined` for a string, which is sent; for a stream a promise of the reply, for the Fastify handler to return
 * @see https://jsonapi.org/format/1.0/#content-negotiation-servers
 */
function sendResponse(
  reply: FastifyReply,
  { status, headers, body }: Sendable,
  common: CommonFields,
): Promise<FastifyReply> | undefined {
  const vary = reply.getHeader('vary')
  const set = common.isPrivate ? reply.getHeader('cache-control')?.toString() : undefined
  reply.code(status)
  for (const [name, value] of common.fields) reply.header(name, value)
  if (vary !== undefined) reply.header('vary', extendVary(vary, common.vary))
  if (headers) reply.headers(headers)
  const own = headers?.['cache-control']
  if (set !== undefined || (common.isPrivate && own !== undefined))
    reply.header('cache-control', choosePrivateCacheControl(set, own))
  if (typeof body !== 'string') return sendStream(reply, body)
  // Without a serializer Fastify adds a charset to the media type, which JSON:API forbids.
  reply.serializer(String).send(body)
  return undefined
}

async function sendStream(reply: FastifyReply, body: AsyncIterable<string>): Promise<FastifyReply> {
  const { request } = reply
  const chunks = await startStream(body, (error) => logInternalError(error, request))
  if (request.method === 'HEAD') {
    await chunks.return()
    return reply.send()
  }
  countStreamedBytes(reply.raw)
  return reply.send(Readable.from(chunks))
}
