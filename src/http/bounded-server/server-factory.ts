import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { ServerOptions as TlsOptions } from 'node:https'
import type { FastifyServerOptions } from 'fastify'
import { HeaderError } from '../../errors/errors.ts'
import { quote } from '../../errors/quote.ts'
import type { ConnectionLimits } from './admission.ts'
import { createClientErrorHandler, createTunnelRejection } from './client-errors.ts'
import { Connections } from './connections.ts'
import { allowHalfClosed } from './half-closed.ts'
import { createLoadShedder } from './load-shedding.ts'
import { serveSequentially } from './pipelining.ts'
import { sendError, toErrorResponse } from './raw-response.ts'
import { type AcceptedHosts, createHeadCheck, isLoopback } from './request-head.ts'
import { closeStalledClients } from './stalled-clients.ts'
import { createHttp2Server, limitStreams } from './stream-limits.ts'

/** The limits of an HTTP server. Times are in milliseconds. */
export interface HttpServerOptions
  extends ConnectionLimits,
    Pick<AcceptedHosts, 'allowedHosts' | 'publicUrl'> {
  /** Options of TLS; `undefined` for a server without TLS. */
  readonly tls: TlsOptions | undefined
  /** True for HTTP/2. */
  readonly http2: boolean
  /** Request line and header fields together, in bytes. */
  readonly maxHeaderSize: number
  /** In which a complete request must arrive. */
  readonly requestTimeout: number
  /** In which a client must accept 64 KiB of a response, or the rest of it. */
  readonly sendTimeout: number
  /** That a request may wait before the server processes it. */
  readonly queueTimeout: number
}

/** The options with which Fastify uses this server. */
type ServerFactoryOptions = Required<
  Pick<FastifyServerOptions, 'serverFactory' | 'clientErrorHandler'>
>

/** How long a connection may be idle between two requests, in milliseconds: the default of Fastify. */
const keepAliveTimeout = 72_000
/** How long a TLS handshake may take, in milliseconds. */
const handshakeTimeout = 10_000

/**
 * Creates the HTTP server under Fastify. Before Fastify looks up a route, this server rejects work without bound: too
 * many connections, unread responses, requests that have waited too long.
 */
export function createServerFactory(options: HttpServerOptions): ServerFactoryOptions {
  const connections = new Connections(options)
  return {
    serverFactory: (handle) => {
      const server = createNodeServer(options)
      allowHalfClosed(server)
      connections.guard(server)
      const serve = checkRequests(server, connections, options, handle)
      server.on('request', serveSequentially(connections, serve))
      server.on('connect', createTunnelRejection(connections))
      server.on('checkExpectation', serveSequentially(connections, rejectExpectation))
      server.on('listening', () => {
        server.once('close', closeStalledClients(connections, options.sendTimeout))
      })
      return server
    },
    clientErrorHandler: createClientErrorHandler(connections),
  }
}

function createNodeServer(limits: HttpServerOptions): Server {
  const { tls, http2, maxHeaderSize, requestTimeout } = limits
  const options = {
    // The parser forgets the method of a larger head. Of one that it accepts, the head check rejects what is beyond the limit.
    maxHeaderSize: 2 * maxHeaderSize,
    requireHostHeader: false,
    insecureHTTPParser: false,
    keepAliveTimeout,
    requestTimeout,
    headersTimeout: requestTimeout,
    // By default Node checks its connections twice a minute, so a timeout could be half a minute late.
    connectionsCheckingInterval: Math.ceil(Math.min(1000, requestTimeout / 8)),
  }
  const tlsOptions = tls && { handshakeTimeout, ...tls }
  // The types of Node distinguish its servers; Fastify uses them alike.
  if (http2) return createHttp2Server(tlsOptions, options) as unknown as Server
  // An `import` of `node:http` loads every lazy export of the module, which adds a tenth to the time of a start.
  if (tls === undefined) return process.getBuiltinModule('node:http').createServer(options)
  return process
    .getBuiltinModule('node:https')
    .createServer({ allowHalfOpen: true, ...tlsOptions, ...options })
}

/** Passes a request on to Fastify when its head is valid and the server is not overloaded. */
function checkRequests(
  server: Server,
  connections: Connections,
  options: HttpServerOptions,
  handle: RequestListener,
): RequestListener {
  const { http2, queueTimeout } = options
  let checkHead = createHeadCheck({ ...options, isLocal: false })
  server.on('listening', () => {
    checkHead = createHeadCheck({ ...options, isLocal: isLoopback(server.address()) })
  })
  const streams = new Set<ServerHttp2Stream>()
  const isOverloaded = createLoadShedder(queueTimeout, {
    get size() {
      return Math.max(connections.open.size, streams.size)
    },
  })
  const detail = `The request has waited for more than ${queueTimeout} ms; try again shortly.`
  const overloaded = toErrorResponse(new HeaderError('overloaded', detail, { 'retry-after': '1' }))
  const check: RequestListener = (request, response) => {
    const error = checkHead(request)
    if (error !== undefined) sendError(response, toErrorResponse(error), closes(server, request))
    else if (isOverloaded()) sendError(response, overloaded, closes(server, request))
    else handle(request, response)
  }
  return http2 ? limitStreams(server, { ...options, open: streams }, check) : check
}

/** True if the response closes its connection, because the server stops. HTTP/2 has a frame for it instead of a field. */
function closes(server: Server, { httpVersionMajor }: IncomingMessage): boolean {
  return !server.listening && httpVersionMajor === 1
}

const rejectExpectation: RequestListener = ({ headers: { expect } }, response) => {
  const detail = `The expectation ${quote(expect)} is not supported.`
  sendError(response, toErrorResponse(new HeaderError('expectation_failed', detail)))
}
