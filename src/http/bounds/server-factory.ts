import type { RequestListener, Server } from 'node:http'
import type { ServerOptions as TlsOptions } from 'node:https'
import type { FastifyServerOptions } from 'fastify'
import { HeaderError } from '../../errors/errors.ts'
import { quote } from '../../errors/quote.ts'
import { createClientErrorHandler, createTunnelRejection } from './client-errors.ts'
import { Connections } from './connections.ts'
import { allowHalfClosed } from './half-closed.ts'
import { createLoadShedder } from './load-shedding.ts'
import { serveSequentially } from './pipelining.ts'
import { sendError, toErrorResponse } from './raw-response.ts'
import { type AcceptedHosts, createHeadCheck, isLoopback } from './request-head.ts'
import { closeStalledClients } from './stalled-clients.ts'

/** The limits of an HTTP server. Times are in milliseconds. */
export interface HttpServerOptions extends Pick<AcceptedHosts, 'allowedHosts' | 'publicUrl'> {
  /** Options of TLS; `undefined` for a server without TLS. */
  readonly tls: TlsOptions | undefined
  /** Open client connections. */
  readonly maxConnections: number
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
  const connections = new Connections(options.maxConnections)
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
  const { tls, maxHeaderSize, requestTimeout } = limits
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
  const { queueTimeout } = options
  let checkHead = createHeadCheck({ ...options, isLocal: false })
  server.on('listening', () => {
    checkHead = createHeadCheck({ ...options, isLocal: isLoopback(server.address()) })
  })
  const isOverloaded = createLoadShedder(queueTimeout, connections.open)
  const detail = `The request has waited for more than ${queueTimeout} ms; try again shortly.`
  const overloaded = toErrorResponse(new HeaderError('overloaded', detail, { 'retry-after': '1' }))
  return (request, response) => {
    const error = checkHead(request)
    if (error !== undefined) sendError(response, toErrorResponse(error), !server.listening)
    else if (isOverloaded()) sendError(response, overloaded, !server.listening)
    else handle(request, response)
  }
}

const rejectExpectation: RequestListener = ({ headers: { expect } }, response) => {
  const detail = `The expectation ${quote(expect)} is not supported.`
  sendError(response, toErrorResponse(new HeaderError('expectation_failed', detail)))
}
