import fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import { HeaderError, quoted } from '../errors/errors.ts'
import type { House } from '../handlers/handler.ts'
import { defineDocuments } from '../serialize/document.ts'
import { addDrain } from './drain.ts'
import { tellError } from './errors.ts'
import { type HttpServerOptions, httpServer } from './http-server.ts'
import { listenOnAllOfLocalhost } from './localhost.ts'
import { addLog, makeLog } from './log.ts'
import { withPublicHost } from './request-head.ts'
import { addRoutes, longestUrl } from './routes.ts'

/** What a server is made of. */
export interface ServerOptions extends Pick<House, 'model' | 'store'> {
  /** In front of every path, e.g. `/api`. Default: none. */
  readonly basePath?: string
  /** Scheme and host of absolute links, e.g. `https://api.example.org`. Default: the request's own. */
  readonly publicUrl?: string | undefined
  /**
   * Says who asks, for hooks to see; it may throw a `Refusal`. Runs once for each request that reaches an endpoint.
   */
  readonly identify?: (request: FastifyRequest) => unknown
  /** What the root document says of the service, e.g. a description and a version. */
  readonly about?: House['about']
  /** The least that is logged, to standard error: `trace` … `fatal`, or `silent`. Default `info`. */
  readonly logLevel?: string
  /** The largest body, in bytes. Default 1 MiB. */
  readonly maxBody?: number
  /** Milliseconds in which a request must have arrived whole. Default 60,000. */
  readonly requestTimeout?: number
  /** Milliseconds after which a connection is closed that accepts no data. Default 60,000. */
  readonly sendTimeout?: number
  /**
   * Milliseconds that a request may wait until the server begins with it; one that has waited longer is refused with
   * 503 `overloaded`, if 32 connections or more are open. Default 1000.
   */
  readonly queueTimeout?: number
  /** Open client connections; the server refuses more with 503 `overloaded`. Default 4096. */
  readonly maxConnections?: number
  /** Open client connections from one address; the server refuses more with 503 `overloaded`. Default 2048. */
  readonly maxConnectionsPerAddress?: number
  /**
   * Values of the `Host` header that are served, e.g. `api.example.org`; one without a port stands for any port. The
   * host of `publicUrl` is always one of them; any other is refused with 421 `misdirected_request`. Empty: every host is
   * served. Default empty.
   */
  readonly allowedHosts?: readonly string[]
}

/** Request line and header fields together, in bytes. */
const longestHead = 64 * 1024

/**
 * Makes the HTTP server of a model and a store: not listening yet, plugins may be added.
 * @returns a Fastify instance; `listen` it, and `close` the store after it
 */
export function createServer(options: ServerOptions): FastifyInstance {
  const {
    model,
    store,
    basePath: base = '',
    about = {},
    logLevel = 'info',
    maxBody = 1024 * 1024,
  } = options
  const house: House = { model, store, base, about, documents: defineDocuments(model, base) }
  const app = fastify({
    bodyLimit: maxBody,
    // Nobody but our own reader reads the query.
    routerOptions: { querystringParser: () => ({}), maxParamLength: longestUrl },
    exposeHeadRoutes: false,
    frameworkErrors: (error, request, reply) => {
      giveLog(request, reply)
      void tellError(error, request, reply)
    },
    logController: new LogController({ disableRequestLogging: true }),
    return503OnClosing: false,
    ...httpServer(limitsOf(options)),
  })
  listenOnAllOfLocalhost(app)
  const giveLog = addLog(app, makeLog(logLevel))
  app.removeAllContentTypeParsers()
  // What a regular expression has found is remembered, so that the header is not read again; and a plugin may have a
  // parser of its own for what it names.
  for (const type of [/^application\/vnd\.api\+json$/, '*'])
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    )
  app.setErrorHandler(tellError)
  app.setNotFoundHandler((request, reply) => tellError(nothingAt(request), request, reply))
  // Told before the body is looked at.
  app.addHook('onRequest', (request, reply, done) => {
    giveLog(request, reply)
    done(request.is404 ? nothingAt(request) : undefined)
  })
  addDrain(app)
  addMethods(app)
  addRoutes(app, house, { publicUrl: options.publicUrl, identify: options.identify })
  return app
}

/** What bounds the HTTP server, with the defaults. */
function limitsOf({ publicUrl, allowedHosts = [], ...options }: ServerOptions): HttpServerOptions {
  const {
    requestTimeout = 60_000,
    sendTimeout = 60_000,
    queueTimeout = 1000,
    maxConnections = 4096,
    maxConnectionsPerAddress = 2048,
  } = options
  return {
    maxHeaderSize: longestHead,
    requestTimeout,
    sendTimeout,
    queueTimeout,
    maxConnections,
    maxConnectionsPerAddress,
    allowedHosts: withPublicHost(allowedHosts, publicUrl),
  }
}

/** Teaches the router the methods it does not know, so that they get their 405 and not a 404. */
function addMethods(app: FastifyInstance): void {
  // An import would load whatever that module offers, which Node does not do before it is used: a tenth of a start.
  const { METHODS } = process.getBuiltinModule('node:http')
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method) && method !== 'CONNECT')
      app.addHttpMethod(method, { hasBody: true })
  }
}

function nothingAt(request: FastifyRequest): HeaderError {
  const [path = ''] = request.url.split('?', 1)
  return new HeaderError(
    'route_not_found',
    `There is nothing at ${quoted(path)}; the root document tells what there is.`,
  )
}
