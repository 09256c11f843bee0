import { Readable } from 'node:stream'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { toError } from '../../../errors/collector.ts'
import type { Awaitable } from '../../../model/declare/hooks.ts'
import { createDisconnectSignal } from '../../disconnect-signal.ts'
import { createDispatcher, type Dispatcher } from '../../dispatcher.ts'
import { announcesBody, createUndecodablePath, keepHostFields } from '../../headers.ts'
import { defaultMaxBody, type HttpOptions } from '../../options.ts'
import { getLocalHost } from '../../origin.ts'
import { createBodyTooLarge, createLengthError, createMessageReader } from '../../receive-body.ts'
import type { HttpRequest, HttpResponse } from '../../request.ts'
import type { Match } from '../../router.ts'
import { countStreamedBytes } from './log.ts'

/** Returns the auth context of a request, or a promise of it. */
export type Authenticate<Auth = unknown> = (request: FastifyRequest) => Awaitable<Auth>

/** The dispatcher of a mount, for the handlers of Fastify. */
export interface Mount extends Pick<Dispatcher, 'routes' | 'find'> {
  /** Responds to a request. @param match - its route. Default: that of the request target */
  readonly dispatch: (request: FastifyRequest, reply: FastifyReply, match?: Match) => void
  /** Responds to a request whose processing threw an error outside of the dispatcher. */
  readonly fail: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void
}

/** The options of the plugin. */
interface MountOptions extends HttpOptions {
  readonly authenticate?: Authenticate
}

/** Creates the dispatcher of a mount. @param log - the logger of the application */
export function createMount(options: MountOptions, log: FastifyInstance['log']): Mount {
  const { authenticate, maxBody = defaultMaxBody } = options
  const { routes, find, dispatch, fail } = createDispatcher(options, log)
  const read = createMessageReader(maxBody)
  const convert = (request: FastifyRequest, reply: FastifyReply): HttpRequest => {
    const { raw, headers, method } = request
    let signal: AbortSignal | undefined
    return {
      method,
      target: raw.url ?? '',
      hasBody: announcesBody(headers),
      host: request.host || getLocalHost(raw),
      protocol: request.protocol,
      httpVersion: raw.httpVersion,
      requestId: request.id,
      ip: request.ip,
      log: request.log,
      header: (name) => {
        const value = headers[name]
        return Array.isArray(value) ? value.join(', ') : value
      },
      signal: () => {
        signal ??= createDisconnectSignal(reply.raw)
        return signal
      },
      isDisconnected: () => raw.socket.destroyed || !raw.complete,
      authenticate: authenticate && (() => authenticate(request)),
      // The parser passes the stream on, which a plugin of the application may decode. It does not run for a request without a body.
      processBody: (process) =>
        read(raw, request.body instanceof Readable ? request.body : raw, process),
    }
  }
  return {
    routes,
    find,
    dispatch: (request, reply, match) => void send(reply, dispatch(convert(request, reply), match)),
    fail: (error, request, reply) =>
      void send(reply, fail(fromFastifyError(error, request), convert(request, reply))),
  }
}

/**
 * Sends a response. A string leaves together with its head in one write. A stream leaves as fast as the client reads it.
 * @see https://jsonapi.org/format/1.0/#content-negotiation-servers
 */
async function send(reply: FastifyReply, response: Promise<HttpResponse>): Promise<void> {
  try {
    const { status, headers, body } = await response
    const { readableFlowing, complete } = reply.request.raw
    // A client that still sends a body that was rejected would have to be read to the end before the next request.
    if (readableFlowing !== null && !complete) reply.header('connection', 'close')
    reply.code(status).headers(keepHostFields(headers, reply))
    // Without a serializer Fastify adds a charset to the media type, which JSON:API forbids.
    if (typeof body === 'string') reply.serializer(String).send(body)
    else if (body === undefined || body instanceof Uint8Array) reply.send(body)
    else {
      countStreamedBytes(reply.raw)
      reply.send(Readable.from(body))
    }
  } catch (error) {
    // Such as a header field that Node does not accept.
    if (!reply.sent) reply.send(toError(error))
  }
}

/** Converts an error of Fastify's own that has a code of the engine; returns any other error. */
function fromFastifyError(error: unknown, request: FastifyRequest): unknown {
  const { code }: Partial<FastifyError> = error instanceof Error ? error : {}
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const { bodyLimit } = request.routeOptions
    return createBodyTooLarge(Number(bodyLimit))
  }
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') return createLengthError()
  return code === 'FST_ERR_BAD_URL' ? createUndecodablePath() : error
}
