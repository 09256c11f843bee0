import type { RequestListener, Server, ServerResponse } from 'node:http'
import type { ServerOptions as TlsOptions } from 'node:https'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { FastifyServerOptions } from 'fastify'
import { HttpError } from '../../errors/errors.ts'
import { quote } from '../../errors/quote.ts'
import { createClientErrorHandler, createTunnelRejection } from './client-errors.ts'
import { type Connection, Connections } from './connections.ts'
import { allowHalfClosed } from './half-closed.ts'
import { getAcceptedBytes, getResponseInFlight } from './node-internals.ts'
import { serveSequentially } from './pipelining.ts'
import { type ErrorDocuments, sendError, toErrorResponse } from './raw-response.ts'
import { type AcceptedHosts, createHeadCheck, isLoopback } from './request-head.ts'

/** The limits of an HTTP server. Times are in milliseconds. */
export interface HttpServerOptions extends Pick<AcceptedHosts, 'allowedHosts' | 'publicUrl'> {
  /** Options of TLS; `undefined` for a server without TLS. */
  readonly tls: TlsOptions | undefined
  /** Open client connections. */
  readonly maxConnections: number
  /** What the errors are like of what no application gets. */
  readonly documents: ErrorDocuments
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
      server.on(
        'checkExpectation',
        serveSequentially(connections, createExpectationRejection(options)),
      )
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
  const { queueTimeout, documents } = options
  let checkRequestHead = createHeadCheck({ ...options, isLocal: false })
  server.on('listening', () => {
    checkRequestHead = createHeadCheck({ ...options, isLocal: isLoopback(server.address()) })
  })
  const isOverloaded = createLoadShedder(queueTimeout, connections.open)
  const detail = `The request has waited for more than ${queueTimeout} ms; try again shortly.`
  const overload = new HttpError('overloaded', detail, { 'retry-after': '1' })
  const overloaded = toErrorResponse(overload, documents)
  return (request, response) => {
    const error = checkRequestHead(request)
    if (error !== undefined)
      sendError(response, toErrorResponse(error, documents), !server.listening)
    else if (isOverloaded()) sendError(response, overloaded, !server.listening)
    else handle(request, response)
  }
}

function createExpectationRejection({
  documents,
}: Pick<HttpServerOptions, 'documents'>): RequestListener {
  return ({ headers: { expect } }, response) => {
    const detail = `The expectation ${quote(expect)} is not supported.`
    sendError(response, toErrorResponse(new HttpError('expectation_failed', detail), documents))
  }
}

/** With fewer open connections, the server never rejects a request for its waiting time. */
const minConnections = 32

/** How many iterations of the event loop are timed within one `queueTimeout`. */
const samplesPerTimeout = 10

/**
 * Creates the check whether a request has waited too long. Reads on SQLite are synchronous: while one runs, other
 * requests wait in the kernel, which records no arrival time. All requests that one iteration of the event loop delivers
 * had arrived when the iteration began. A request delivered more than `queueTimeout` after the first one of its
 * iteration has therefore waited at least that long. To time every iteration would cost 2 % of a request, so the next one is
 * timed after a tenth of the timeout: the server rejects a request at most that much later.
 *
 * @param queueTimeout - in milliseconds
 * @param connections - the open connections; a few cannot overload the server
 * @returns a function that returns true if the server should reject the request that was delivered now
 */
function createLoadShedder(
  queueTimeout: number,
  connections: Readonly<{ size: number }>,
): () => boolean {
  let iterationBegan: number | undefined
  let nextSample = 0
  const endIteration = () => {
    iterationBegan = undefined
  }
  return () => {
    if (connections.size < minConnections) return false
    const now = performance.now()
    if (iterationBegan !== undefined) return now - iterationBegan > queueTimeout
    if (now < nextSample) return false
    nextSample = now + queueTimeout / samplesPerTimeout
    iterationBegan = now
    setImmediate(endIteration)
    return false
  }
}

/** Bytes of a response that a client must accept within the timeout. */
const minProgress = 65_536

/** The response that a connection sends, and its bytes when the client had last accepted `minProgress` more of them. */
interface Progress {
  readonly response: ServerResponse | undefined
  /** Bytes of the connection that the operating system had accepted. */
  readonly accepted: number
  readonly since: number
}

/**
 * Closes connections that accept no data, or too little. As long as they are open, they hold their responses in memory, and a
 * streamed response holds a database connection.
 *
 * @param timeout - milliseconds, in which the server could send and a client must accept `minProgress`, or the rest of a response
 * @returns a function that stops the checks
 */
function closeStalledClients(connections: Connections, timeout: number): () => void {
  let previous = new Map<Socket, Progress>()
  return scheduleChecks(timeout, (now) => {
    const next = new Map<Socket, Progress>()
    for (const connection of connections.open.values()) {
      const { socket } = connection
      if (socket.writableLength === 0) continue
      const progress = measureProgress(connection, previous.get(socket), now)
      if (now - progress.since > timeout) socket.destroy()
      else next.set(socket, progress)
    }
    previous = next
  })
}

function measureProgress(
  { socket, transport }: Connection,
  before: Progress | undefined,
  now: number,
): Progress {
  const response = getResponseInFlight(socket)
  const accepted = getAcceptedBytes(transport)
  const isSame = before !== undefined && before.response === response
  return isSame && accepted - before.accepted < minProgress
    ? before
    : { response, accepted, since: now }
}

/** The checks within a timeout. */
const checksPerTimeout = 8
/** The longest time between two checks, in milliseconds. */
const maxInterval = 1000

/**
 * Calls a check regularly until it is stopped. The time that it is given advances by one interval with each check, however long the
 * event loop was blocked in between: a client cannot make progress while the server does something else, so that time does not count.
 *
 * @param timeout - milliseconds that the check measures
 * @param check - is given the present time in milliseconds, on a clock of its own
 * @returns a function that stops the checks
 */
function scheduleChecks(timeout: number, check: (now: number) => void): () => void {
  const interval = Math.min(maxInterval, Math.max(1, timeout / checksPerTimeout))
  let now = 0
  const timer = setInterval(() => {
    now += interval
    check(now)
  }, interval).unref()
  return () => clearInterval(timer)
}
