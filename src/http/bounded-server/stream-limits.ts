import type { RequestListener, Server } from 'node:http'
import type {
  Http2SecureServer,
  Http2Server,
  Http2ServerRequest,
  Http2ServerResponse,
  ServerHttp2Session,
  ServerHttp2Stream,
} from 'node:http2'
import type { ServerOptions as TlsOptions } from 'node:https'
import { HeaderError } from '../../errors/errors.ts'
import { isObject } from '../../model/json.ts'
import { Admission, type ConnectionLimits } from './admission.ts'
import { getSubmittedBytes } from './node-internals.ts'
import { toProtocolErrorResponse } from './protocol-errors.ts'
import { sendError, toErrorResponse } from './raw-response.ts'
import { scheduleChecks } from './schedule-checks.ts'
import { minProgress } from './stalled-clients.ts'
import { UnsentResponses } from './unsent-responses.ts'

/** The limits of the requests over HTTP/2. Times are in milliseconds. */
interface Http2Limits extends ConnectionLimits {
  /** In which the body of a request must arrive. */
  readonly requestTimeout: number
  /** In which a client must accept 64 KiB of a response, or all of a smaller one. */
  readonly sendTimeout: number
  /** The requests that the server processes, which this module keeps. */
  readonly open: Set<ServerHttp2Stream>
}

/** The requests of one connection that the server processes at once; the client waits with the others. */
const maxConcurrentStreams = 100
/** Error codes of RFC 9113 §7. The first one ends a request after its response, the second one at once. */
const noError = 0
const cancel = 8
/** How long a connection may be idle, in milliseconds. */
const idleTimeout = 72_000
/** How long a connection may take to accept the last frames, in milliseconds. */
const closeTimeout = 1000

/**
 * Creates a server of Node for HTTP/2; with TLS also for HTTP/1, as the client chooses. Node itself limits the
 * header fields, the memory of each connection, and how often a client may reset its requests.
 *
 * @param http1 - options of the connections over HTTP/1
 */
export function createHttp2Server(
  tls: TlsOptions | undefined,
  http1: object,
): Http2Server | Http2SecureServer {
  const { createServer, createSecureServer } = process.getBuiltinModule('node:http2')
  const options = {
    settings: { maxConcurrentStreams },
    Http2ServerResponse: createHttp2ResponseClass(),
  }
  const server =
    tls === undefined
      ? // A server without HTTP/1 has no idle connections that it would have to close.
        Object.assign(createServer(options), { closeIdleConnections: () => {} })
      : createSecureServer({ allowHTTP1: true, ...options, ...tls, ...http1 })
  server.on('session', closeWhenIdle)
  return server
}

/** Creates the class of the responses over HTTP/2 of one server. */
function createHttp2ResponseClass(): typeof Http2ServerResponse {
  const { Http2ServerResponse: ResponseClass } = process.getBuiltinModule('node:http2')
  const unsent = new UnsentResponses()
  // The type of the class has a type parameter, which a class that extends it cannot repeat.
  return class extends ResponseClass {
    override writeHead(...parameters: unknown[]): this {
      Reflect.apply(super.writeHead, this, parameters.map(omitConnection))
      unsent.add(this.stream, Number(this.getHeader('content-length')))
      return this
    }
  } as typeof ResponseClass
}

/** Omits the field `connection` of a response head, which HTTP/2 does not have: Node would log a warning. RFC 9113 §8.2.2. */
function omitConnection(parameter: unknown): unknown {
  if (!isObject(parameter) || !('connection' in parameter)) return parameter
  const { connection: _, ...others } = parameter
  return others
}

function closeWhenIdle(session: ServerHttp2Session): void {
  session.setTimeout(idleTimeout, () => {
    session.close()
    const timer = setTimeout(() => session.destroy(), closeTimeout).unref()
    session.once('close', () => clearTimeout(timer))
  })
}

/**
 * Limits the requests over HTTP/2: their number, the time for a body to arrive, and the time without the client accepting
 * data. A request over HTTP/1 is passed on unchanged.
 *
 * @param handle - begins to process a request
 * @returns the listener for Node's `request` event
 */
export function limitStreams(
  server: Server,
  limits: Http2Limits,
  handle: RequestListener,
): RequestListener {
  const detail = 'The server processes too many requests; try again shortly.'
  const overloaded = toErrorResponse(new HeaderError('overloaded', detail, { 'retry-after': '1' }))
  const late = toProtocolErrorResponse({ code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  const admission = new Admission(limits)
  const { open } = limits
  server.on('listening', () => {
    server.once('close', resetStalledStreams(open, limits.sendTimeout))
  })
  return (request, response) => {
    if (!isHttp2(request)) return handle(request, response)
    const { stream } = request
    const address = request.socket.remoteAddress ?? ''
    if (!admission.enter(address)) return sendError(response, overloaded)
    open.add(stream)
    stream.once('close', () => {
      open.delete(stream)
      admission.leave(address)
    })
    awaitBody(stream, limits.requestTimeout, () => {
      if (response.headersSent) return stream.close(cancel)
      sendError(response, late)
      stream.close(noError)
    })
    handle(request, response)
  }
}

/** The unsent bytes of a response, those that were passed on to be sent, and the time of the last change. */
interface Progress {
  readonly size: number
  readonly submitted: number
  readonly since: number
}

/**
 * Resets requests whose clients accept no data. Node does not report how much of a write a client has accepted, so the time
 * for a write depends on its size. The timeouts of Node hold for connections: one request with progress is enough.
 *
 * @param open - the requests that the server processes
 * @param timeout - milliseconds in which a client must accept `minProgress`
 * @returns a function that stops the checks
 */
function resetStalledStreams(open: ReadonlySet<ServerHttp2Stream>, timeout: number): () => void {
  const progress = new WeakMap<ServerHttp2Stream, Progress>()
  return scheduleChecks(timeout, (now) => {
    for (const stream of open) {
      const [size, submitted] = [stream.bufferSize, getSubmittedBytes(stream)]
      const before = progress.get(stream)
      if (before?.size !== size || before.submitted !== submitted)
        progress.set(stream, { size, submitted, since: now })
      else if (size > 0 && now - before.since > timeout * Math.ceil(size / minProgress))
        stream.close(cancel)
    }
  })
}

function awaitBody(stream: ServerHttp2Stream, timeout: number, onLate: () => void): void {
  if (stream.endAfterHeaders) return
  const timer = setTimeout(onLate, timeout).unref()
  const stop = () => clearTimeout(timer)
  stream.once('end', stop).once('close', stop)
  // After the response nobody reads the rest of the body. RFC 9113, section 8.1.
  stream.once('finish', () => {
    if (!stream.readableEnded) stream.close(noError)
  })
}

function isHttp2(request: object): request is Http2ServerRequest {
  return 'stream' in request
}
