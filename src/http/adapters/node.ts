import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Awaitable } from '../../model/declare/hooks.ts'
import { isLogger, type Logger } from '../../model/declare/request-context.ts'
import { createDisconnectSignal } from '../disconnect-signal.ts'
import { createDispatcher } from '../dispatcher.ts'
import { announcesBody, keepHostFields } from '../headers.ts'
import { createJsonLogger } from '../json-logger.ts'
import {
  checkHttpOptions,
  defaultMaxBody,
  type HttpOptions,
  optionalLogger,
  type WithAuthenticate,
} from '../options.ts'
import { getLocalHost } from '../origin.ts'
import { createMessageReader } from '../receive-body.ts'
import type { HttpRequest, HttpResponse } from '../request.ts'
import { findRequestId } from '../request-id.ts'

/** The options of `createNodeHandler`. */
export interface NodeHandlerOptions<
  Request extends IncomingMessage = IncomingMessage,
  Auth = unknown,
> extends HttpOptions<Auth> {
  /**
   * Returns the auth context of a request: hooks receive it as `context.auth`. It runs once for each request that has a
   * route, before the body is read. A `RequestError` that it throws is sent to the client.
   */
  readonly authenticate?: (request: Request) => Awaitable<NoInfer<Auth>>
  /**
   * The logger, e.g. of Pino, for requests to which no middleware has given a `log`. Default: warnings and errors to standard error.
   */
  readonly log?: Logger
}

/** A handler for `node:http`, and a middleware for Express and Connect. */
export type NodeHandler<Request extends IncomingMessage = IncomingMessage> = (
  request: Request,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => void

/**
 * Creates a handler for `node:http` and Express: `app.use(createNodeHandler({ prefix: '/api', model, store }))`. It calls
 * `next` for paths outside of the prefix; without `next` it reports them as errors. The log has the cause of every 500.
 *
 * @throws DeclarationError for unknown or wrong options
 */
export function createNodeHandler<
  Request extends IncomingMessage = IncomingMessage,
  Auth = unknown,
>(options: WithAuthenticate<NodeHandlerOptions<Request, Auth>, Auth>): NodeHandler<Request> {
  checkHttpOptions(options, 'createNodeHandler', { log: optionalLogger })
  const { authenticate, prefix = '', maxBody = defaultMaxBody, log = createJsonLogger() } = options
  const { dispatch } = createDispatcher(options, log)
  const read = createMessageReader(maxBody)
  return (request, response, next) => {
    const target = getTarget(request)
    if (next && !isBelow(prefix, target)) return next(explainMount(request, prefix))
    let signal: AbortSignal | undefined
    void dispatch({
      ...readRequest(request, target),
      // A parser may have read the body before.
      processBody: async (process) =>
        request.readableEnded ? process(getParsedBody(request)) : read(request, request, process),
      log: getLogger(request) ?? log,
      signal: () => {
        signal ??= createDisconnectSignal(response)
        return signal
      },
      isDisconnected: () => response.destroyed && !response.writableEnded,
      authenticate: authenticate && (() => authenticate(request)),
    })
      .then((answer) => send(answer, response))
      // The client has disconnected, or the stream has failed and its error was logged.
      .catch(() => response.destroy())
  }
}

/**
 * Returns the path and the query. Express removes the path at which a middleware is mounted from `url` and keeps it in `originalUrl`.
 * In the absolute form of a target, its origin is before them (RFC 9112 §3.2.2).
 */
function getTarget(request: IncomingMessage): string {
  const original: unknown = Reflect.get(request, 'originalUrl')
  const target = typeof original === 'string' ? original : (request.url ?? '/')
  return target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*\/?/i, '/')
}

function isBelow(prefix: string, target: string): boolean {
  return target.startsWith(prefix) && /^([/?]|$)/.test(target.slice(prefix.length) || '')
}

/** A handler that is mounted at another path than its prefix would never find a route, and its links would lead nowhere. */
function explainMount(request: IncomingMessage, prefix: string): Error | undefined {
  const mounted: unknown = Reflect.get(request, 'baseUrl')
  // The prefix may continue the path of the mount, which Express compares without regard to case.
  if (typeof mounted !== 'string' || isBelow(mounted.toLowerCase(), prefix.toLowerCase()))
    return undefined
  return new Error(
    `The handler is mounted at ${mounted}, but its prefix is "${prefix}": pass prefix: "${mounted}" to createNodeHandler.`,
  )
}

function readRequest(
  request: IncomingMessage,
  target: string,
): Omit<HttpRequest, 'log' | 'signal' | 'isDisconnected' | 'authenticate' | 'processBody'> {
  const { headers, method = 'GET' } = request
  return {
    method,
    target,
    header: (name) => {
      const value = headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    hasBody: announcesBody(headers),
    host: headers.host ?? getLocalHost(request),
    protocol: getProtocol(request),
    httpVersion: request.httpVersion,
    ip: getAddress(request),
    requestId: getRequestId(request),
  }
}

/** Express knows the address of the client behind a trusted proxy. */
function getAddress(request: IncomingMessage): string | undefined {
  const known: unknown = Reflect.get(request, 'ip')
  return typeof known === 'string' ? known : request.socket.remoteAddress
}

/** A middleware such as `pino-http` has given the request an id. */
function getRequestId(request: IncomingMessage): string | undefined {
  const known: unknown = Reflect.get(request, 'id')
  if (typeof known === 'string' || typeof known === 'number') return String(known)
  return findRequestId(request.headers['x-request-id'], request.headers.traceparent)
}

/** A middleware such as `pino-http` has given the request a logger. */
function getLogger(request: IncomingMessage): Logger | undefined {
  const known: unknown = Reflect.get(request, 'log')
  return isLogger(known) ? known : undefined
}

/** Express knows the protocol behind a trusted proxy. */
function getProtocol(request: IncomingMessage): string {
  const known: unknown = Reflect.get(request, 'protocol')
  if (typeof known === 'string') return known
  // On Bun every socket has the property.
  return Reflect.get(request.socket, 'encrypted') === true ? 'https' : 'http'
}

/** Returns the body that a parser of bytes or text has read before; other parsers do not keep it as it was sent. */
function getParsedBody(request: IncomingMessage): Uint8Array {
  const body: unknown = Reflect.get(request, 'body')
  if (body instanceof Uint8Array) return body
  if (typeof body === 'string') return Buffer.from(body)
  if (!announcesBody(request.headers)) return new Uint8Array()
  throw new Error(
    'The body of the request was parsed already: mount the handler before body parsers, or exclude application/vnd.api+json from them.',
  )
}

async function send({ status, headers, body }: HttpResponse, response: ServerResponse) {
  // A client that still sends its body would have to be read to the end before the next request.
  const isUnread = !response.req.complete
  response.writeHead(status, {
    ...keepHostFields(headers, response),
    ...(isUnread && { connection: 'close' }),
  })
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array)
    response.end(body)
  else await pipeline(Readable.from(body), response)
}
