import fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import { HeaderError } from '../../errors/errors.ts'
import { quote } from '../../errors/quote.ts'
import { type AppOptions, createAppContext } from '../../handlers/app-context.ts'
import { addPublicHost } from '../bounded-server/request-head.ts'
import { createServerFactory, type HttpServerOptions } from '../bounded-server/server-factory.ts'
import { createErrorReporter } from '../errors.ts'
import { createOriginResolver } from '../origin.ts'
import { addDrain } from './drain.ts'
import { listenOnAllOfLocalhost } from './localhost.ts'
import { createLogger } from './log.ts'
import { addRequestLogs } from './request-log.ts'
import { maxUrlLength, registerRoutes } from './routes.ts'

/** The options of `createServer`. */
export interface ServerOptions extends AppOptions {
  /** Scheme and host of absolute links, e.g. `https://api.example.org`. Default: those of the request. */
  readonly publicUrl?: string | undefined
  /**
   * Returns the auth context of a request: hooks receive it as `context.auth`. It runs once for each request that has a
   * route. A `RequestError` that it throws is sent to the client.
   */
  readonly authenticate?: (request: FastifyRequest) => unknown
  /** The lowest level that is logged to standard error: `trace` … `fatal`, or `silent`. Default `info`. */
  readonly logLevel?: string
  /** The largest body, in bytes. Default 1 MiB. */
  readonly maxBody?: number
  /** Milliseconds in which a complete request must arrive. Default 60,000. */
  readonly requestTimeout?: number
  /** Milliseconds after which the server closes a connection that accepts no data. Default 60,000. */
  readonly sendTimeout?: number
  /**
   * Milliseconds that a request may wait before the server processes it. The server rejects a request that has waited
   * longer with 503 `overloaded` if at least 32 connections are open. Default 1000.
   */
  readonly queueTimeout?: number
  /** Open client connections; the server rejects more with 503 `overloaded`. Default 4096. */
  readonly maxConnections?: number
  /** Open client connections from one address; the server rejects more with 503 `overloaded`. Default 2048. */
  readonly maxConnectionsPerAddress?: number
  /**
   * Accepted values of the `Host` header, e.g. `api.example.org`; one without a port accepts any port. The host of
   * `publicUrl` is always accepted. The server rejects any other with 421 `misdirected_request`. Empty: every host is
   * accepted. Default empty.
   */
  readonly allowedHosts?: readonly string[]
}

/** Request line and header fields together, in bytes. */
const maxHeaderSize = 64 * 1024

/**
 * Creates the HTTP server of a model and a store. It does not listen yet, and plugins may be added.
 * @returns a Fastify instance: call `listen` on it, and close the store after it
 */
export function createServer(options: ServerOptions): FastifyInstance {
  const { logLevel = 'info', maxBody = 1024 * 1024, publicUrl, authenticate } = options
  const context = createAppContext(options)
  const reportError = createErrorReporter()
  const app = fastify({
    bodyLimit: maxBody,
    // `parse/query.ts` parses the query string.
    routerOptions: { querystringParser: () => ({}), maxParamLength: maxUrlLength },
    exposeHeadRoutes: false,
    frameworkErrors: (error, request, reply) => {
      assignRequestLog(request, reply)
      void reportError(error, request, reply)
    },
    logController: new LogController({ disableRequestLogging: true }),
    return503OnClosing: false,
    ...createServerFactory(toHttpServerOptions(options)),
  })
  listenOnAllOfLocalhost(app)
  const assignRequestLog = addRequestLogs(app, createLogger(logLevel))
  addBodyParsers(app)
  app.setErrorHandler(reportError)
  app.setNotFoundHandler((request, reply) => reportError(routeNotFound(request), request, reply))
  app.addHook('onRequest', (request, reply, done) => {
    assignRequestLog(request, reply)
    // The server rejects an unknown path before it reads the body.
    done(request.is404 ? routeNotFound(request) : undefined)
  })
  // Where the database cannot be reached yet, the first request tries again.
  app.addHook('onReady', () => options.store.prepare().catch(() => {}))
  addDrain(app)
  addMethods(app)
  const resolveOrigin = createOriginResolver(publicUrl)
  registerRoutes(app, { context, authenticate, resolveOrigin, reportError })
  return app
}

/** The options of the HTTP server, with their defaults. */
function toHttpServerOptions(options: ServerOptions): HttpServerOptions {
  const { requestTimeout = 60_000, sendTimeout = 60_000, queueTimeout = 1000 } = options
  const { maxConnections = 4096, maxConnectionsPerAddress = 2048 } = options
  return {
    maxHeaderSize,
    requestTimeout,
    sendTimeout,
    queueTimeout,
    maxConnections,
    maxConnectionsPerAddress,
    allowedHosts: addPublicHost(options.allowedHosts ?? [], options.publicUrl),
  }
}

/** Passes every body on as bytes. A plugin may still add a parser of its own for a media type. */
function addBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  // Fastify caches the parser that a regular expression has matched, so it parses the header field once.
  for (const type of [/^application\/vnd\.api\+json$/, '*'])
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    )
}

/** Adds the methods that Fastify's router does not know, so that they are answered with 405 instead of 404. */
function addMethods(app: FastifyInstance): void {
  // An `import` of `node:http` loads every lazy export of the module, which adds a tenth to the time of a start.
  const { METHODS } = process.getBuiltinModule('node:http')
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method) && method !== 'CONNECT')
      app.addHttpMethod(method, { hasBody: true })
  }
}

function routeNotFound(request: FastifyRequest): HeaderError {
  const [path = ''] = request.url.split('?', 1)
  return new HeaderError(
    'route_not_found',
    `There is no route ${quote(path)}; the root document lists the resources and their paths.`,
  )
}
