import type { RequestListener, Server } from 'node:http'
import type { FastifyServerOptions } from 'fastify'
import { HeaderError, quoted } from '../errors/errors.ts'
import { clientErrorHandler } from './client-errors.ts'
import { type ConnectionLimits, Connections } from './connections.ts'
import { loadShedding } from './load-shedding.ts'
import { oneAtATime } from './pipelining.ts'
import { errorResponse, sendError } from './raw-response.ts'
import { requestHeadCheck } from './request-head.ts'
import { closeStalledClients } from './stalled-clients.ts'

/** What bounds the work, the memory and the waiting of an HTTP server. Times are in milliseconds. */
export interface HttpServerOptions extends ConnectionLimits {
  /** Request line and header fields together, in bytes. */
  readonly maxHeaderSize: number
  /** For a request to arrive. */
  readonly requestTimeout: number
  /** Without progress in sending to a client. */
  readonly sendTimeout: number
  /** For a request to wait until the server begins with it. */
  readonly queueTimeout: number
  /** Values of the `Host` header that are served; empty: every host. */
  readonly allowedHosts: readonly string[]
}

/** What Fastify needs to run on the guarded server. */
export type HttpServerParts = Required<
  Pick<FastifyServerOptions, 'serverFactory' | 'clientErrorHandler'>
>

/** How long a connection may be idle between two requests; Fastify's own default. */
const keepAliveTimeout = 72_000

/**
 * Makes the HTTP server under Fastify. It stands before Fastify's request handler, and refuses what would cost without
 * bound before a route is looked up: too many connections, unread responses, requests that have waited too long.
 */
export function httpServer(options: HttpServerOptions): HttpServerParts {
  const connections = new Connections(options)
  return {
    serverFactory: (handle) => {
      const server = nodeServer(options)
      connections.guard(server)
      server.on('request', oneAtATime(connections, checked(server, connections, options, handle)))
      server.on('checkExpectation', oneAtATime(connections, refuseExpectation))
      server.on('listening', () => {
        server.once('close', closeStalledClients(connections, options.sendTimeout))
      })
      return server
    },
    clientErrorHandler: clientErrorHandler(connections),
  }
}

function nodeServer({ maxHeaderSize, requestTimeout }: HttpServerOptions): Server {
  // An import would load whatever that module offers, which Node does not do before it is used: a tenth of a start.
  const { createServer } = process.getBuiltinModule('node:http')
  return createServer({
    maxHeaderSize,
    requireHostHeader: false,
    insecureHTTPParser: false,
    keepAliveTimeout,
    requestTimeout,
    headersTimeout: requestTimeout,
    // Node looks at its connections twice a minute by itself, so that a timeout could come half a minute late.
    connectionsCheckingInterval: Math.ceil(Math.min(1000, requestTimeout / 8)),
  })
}

/** Lets a request through to Fastify when its head is right and the server has time for it. */
function checked(
  server: Server,
  connections: Connections,
  { queueTimeout, allowedHosts }: HttpServerOptions,
  handle: RequestListener,
): RequestListener {
  const errorInHead = requestHeadCheck(allowedHosts)
  const isTooLate = loadShedding(queueTimeout, () => connections.size)
  const detail = `The request has waited for more than ${queueTimeout} ms; try again shortly.`
  const tooLate = errorResponse(new HeaderError('overloaded', detail, { 'retry-after': '1' }))
  return (request, response) => {
    const error = errorInHead(request)
    if (error !== undefined) sendError(response, errorResponse(error), !server.listening)
    else if (isTooLate()) sendError(response, tooLate, !server.listening)
    else handle(request, response)
  }
}

const refuseExpectation: RequestListener = ({ headers: { expect } }, response) => {
  const detail = `The expectation ${quoted(expect)} is not met.`
  sendError(response, errorResponse(new HeaderError('expectation_failed', detail)))
}
