import type { Awaitable } from '../../model/declare/hooks.ts'
import type { Logger } from '../../model/declare/request-context.ts'
import { createDispatcher } from '../dispatcher.ts'
import { createJsonLogger } from '../json-logger.ts'
import {
  checkHttpOptions,
  defaultMaxBody,
  type HttpOptions,
  optionalLogger,
  type WithAuthenticate,
} from '../options.ts'
import { createBodyReader, type ReceiveBody } from '../receive-body.ts'
import type { HttpRequest, HttpResponse } from '../request.ts'
import { findRequestId } from '../request-id.ts'

/** The options of `createHandler`. */
export interface HandlerOptions<Auth = unknown> extends HttpOptions<Auth> {
  /**
   * Returns the auth context of a request: hooks receive it as `context.auth`. It runs once for each request that has a
   * route, before the body is read. A `RequestError` that it throws is sent to the client.
   */
  readonly authenticate?: (request: Request) => Awaitable<NoInfer<Auth>>
  /** The logger, e.g. of Pino. Default: warnings and errors to standard error. */
  readonly log?: Logger
}

/** What the host knows of a request in addition to the `Request`. */
export interface RequestInfo<Auth = unknown> {
  /** The address of the client. */
  readonly ip?: string | undefined
  /** Default: the header field `x-request-id`, or the trace id in `traceparent`. */
  readonly requestId?: string | undefined
  /**
   * The auth context, if the host has authenticated the request already. Then `authenticate` does not run. It runs for
   * `undefined`, so that a request that the host has not authenticated is not accepted by mistake.
   */
  readonly auth?: Auth | undefined
  /** The logger of the request. Default: that of the options. */
  readonly log?: Logger | undefined
  /** Not used. Next.js passes the parameters of the route. */
  readonly params?: unknown
}

/**
 * Creates a handler for every server that uses the Fetch API: Hono, Bun, Deno, Next.js, and tests.
 *
 * @returns a function that returns the response to a request. It reports every error as a response and never rejects. A long
 *   response is a stream: the database is read as fast as the client reads
 * @throws DeclarationError for unknown or wrong options
 * @see https://developer.mozilla.org/en-US/docs/Web/API/Fetch_API
 */
export function createHandler<Auth = unknown>(
  options: WithAuthenticate<HandlerOptions<Auth>, Auth>,
): (request: Request, info?: RequestInfo<Auth>) => Promise<Response> {
  checkHttpOptions(options, 'createHandler', { log: optionalLogger })
  const { authenticate, maxBody = defaultMaxBody, log: defaultLog = createJsonLogger() } = options
  const { dispatch } = createDispatcher(options, defaultLog)
  const read = createBodyReader(maxBody)
  return async (request, info = {}) => {
    const { log = defaultLog, ip } = info
    const requestId =
      info.requestId ??
      findRequestId(request.headers.get('x-request-id'), request.headers.get('traceparent'))
    return toResponse(
      await dispatch({
        ...readRequest(request),
        ...{ log, ip, requestId, isAuthenticated: info.auth !== undefined },
        processBody: (process) => read(receiveStream(request), process),
        authenticate: () => (info.auth === undefined ? authenticate?.(request) : info.auth),
      }),
    )
  }
}

function readRequest(
  request: Request,
): Omit<HttpRequest, 'log' | 'ip' | 'requestId' | 'authenticate' | 'processBody'> {
  const { method, url, headers } = request
  const hostStart = url.indexOf('://') + 3
  const pathStart = url.indexOf('/', hostStart)
  return {
    method,
    target: url.slice(pathStart),
    header: (name) => headers.get(name) ?? undefined,
    hasBody: hasBody(request),
    // Next.js writes its own name into the URL.
    host: headers.get('host') ?? url.slice(hostStart, pathStart),
    protocol: url.slice(0, hostStart - 3),
    signal: () => request.signal,
    isDisconnected: () => request.signal.aborted,
  }
}

/**
 * True if a request has a body. Some hosts give every request a stream, and a request that a program creates has no
 * `Content-Length`.
 */
function hasBody({ method, headers, body }: Request): boolean {
  const length = headers.get('content-length')
  if (body === null || length === '0') return false
  if (length !== null || headers.has('transfer-encoding')) return true
  return (
    method === 'POST' || method === 'PATCH' || method === 'QUERY' || headers.has('content-type')
  )
}

/** Creates the function that receives the body of a request of the Fetch API. */
function receiveStream({ headers, body: stream, bodyUsed }: Request): ReceiveBody {
  return async (body, nextTurn) => {
    if (stream === null) return
    if (bodyUsed)
      throw new Error('The body of the request was read already; pass the request on unread.')
    body.expect(Number(headers.get('content-length')))
    const reader = stream.getReader()
    let rejection: Error | undefined
    // A read that waits resolves then.
    const cancel = () => void reader.cancel().catch(() => {})
    body.onReject = (error) => {
      rejection = error
      cancel()
    }
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (rejection) throw rejection
        if (done) return
        if (body.append(value)) await nextTurn()
      }
    } finally {
      cancel()
    }
  }
}

function toResponse({ status, headers, body }: HttpResponse): Response {
  const isReady = body === undefined || typeof body === 'string' || body instanceof Uint8Array
  const content = isReady ? body : toByteStream(body)
  // The types of the Fetch API exclude bytes in shared memory, which no response has.
  const init = (content ?? null) as ConstructorParameters<typeof Response>[0]
  return new Response(init, { status, headers: { ...headers } })
}

/** Converts chunks of text to a stream of bytes that reads a chunk when the client has taken the one before. */
function toByteStream(chunks: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream(
    {
      pull: async (controller) => {
        const { done, value } = await iterator.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
      cancel: async () => {
        await iterator.return?.()
      },
    },
    { highWaterMark: 1 },
  )
}
