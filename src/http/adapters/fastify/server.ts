import type { ServerOptions as HttpsOptions } from 'node:https'
import fastify, {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import {
  booleanCheck,
  isFunction,
  mustBe,
  oneOf,
  optional,
} from '../../../model/check/option-checks.ts'
import { logLevels } from '../../../model/declare/request-context.ts'
import { isObject } from '../../../model/kinds/json.ts'
import { describeHealth } from '../../../openapi/describe-addresses.ts'
import type { OpenApiOptions } from '../../../openapi/options.ts'
import { createServerFactory, type HttpServerOptions } from '../../bounds/server-factory.ts'
import { maxUrlLength } from '../../headers.ts'
import { anyValue, checkHttpOptions, optionalCount, type WithAuthenticate } from '../../options.ts'
import { createRequestIdGenerator } from '../../request-id.ts'
import { addDrain } from './drain.ts'
import { addHealthRoutes } from './health.ts'
import { listenOnAllOfLocalhost } from './localhost.ts'
import { addAccessLog, createLoggerOptions } from './log.ts'
import { createMount } from './mount.ts'
import { addNotFoundHandler, addRoutes, type JsonApiOptions } from './plugin.ts'

/** The options that `createServer` passes to Fastify: https://fastify.dev/docs/latest/Reference/Server/ */
type FastifyOptions = Pick<
  FastifyHttpOptions<FastifyInstance['server']>,
  'trustProxy' | 'requestIdHeader' | 'genReqId' | 'logger' | 'loggerInstance'
>

/** The options of `createServer`. */
export interface ServerOptions<Auth = unknown> extends JsonApiOptions<Auth>, FastifyOptions {
  /** The beginning of every path, e.g. `/api`. Default: none. */
  readonly prefix?: string
  /** Options of TLS, for HTTPS. */
  readonly https?: HttpsOptions
  /**
   * The lowest level that is logged to standard error: `trace` … `fatal`, or `silent`. Default `info`. `logger` or
   * `loggerInstance` replaces this logger.
   */
  readonly logLevel?: string
  /** True to log one line at level `info` for each request. Default true. */
  readonly accessLog?: boolean
  /** True to serve `GET /health/live` and `GET /health/ready`, without the prefix. Default true. */
  readonly health?: boolean
  /**
   * Milliseconds that the server serves on after `close` is called, while `/health/ready` responds 503: a load balancer needs
   * time to notice. Default 0.
   */
  readonly shutdownDelay?: number
  /** Milliseconds in which a complete request must arrive. Default 60,000. */
  readonly requestTimeout?: number
  /**
   * Milliseconds in which a client must accept 64 KiB of a response, or the rest of it. Then the server closes the connection.
   * Default 60,000.
   */
  readonly sendTimeout?: number
  /**
   * Milliseconds that a request may wait before the server processes it. The server rejects a request that has waited
   * longer with 503 `overloaded` if at least 32 connections are open. Default 1000.
   */
  readonly queueTimeout?: number
  /** Open client connections; the server rejects more with 503 `overloaded`. Default 4096. */
  readonly maxConnections?: number
  /**
   * Accepted values of the `Host` header, e.g. `api.example.org`; one without a port accepts any port, and `*` is every host. The host
   * of `publicUrl` is accepted with them. The server rejects any other with 421 `misdirected_request`. Empty: every host is accepted,
   * but only `localhost`, `127.0.0.1` and `[::1]` if the server listens on a loopback address and has no `publicUrl`. Default empty.
   */
  readonly allowedHosts?: readonly string[]
}

/** Request line and header fields together, in bytes. */
const maxHeaderSize = 64 * 1024

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0
const isHostList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((host) => typeof host === 'string' && !host.includes('/'))

/** The checks of the options that only `createServer` has. */
const serverChecks = {
  trustProxy: anyValue,
  requestIdHeader: anyValue,
  genReqId: optional(mustBe('a function of the request', isFunction)),
  logger: anyValue,
  loggerInstance: anyValue,
  https: optional(mustBe('an object', isObject)),
  logLevel: optional(oneOf(...logLevels, 'silent')),
  accessLog: optional(booleanCheck),
  health: optional(booleanCheck),
  shutdownDelay: optional(mustBe('a whole number from 0', isCount)),
  requestTimeout: optionalCount,
  sendTimeout: optionalCount,
  queueTimeout: optionalCount,
  maxConnections: optionalCount,
  allowedHosts: optional(mustBe('an array of hosts such as "api.example.org"', isHostList)),
}

/**
 * Creates a Fastify server with the routes of a model, and limits on connections, waiting and header fields. It does not
 * listen yet, and plugins may be added until then.
 *
 * @returns a Fastify instance: call `listen` on it, and close the store after it
 * @throws DeclarationError for unknown or wrong options
 */
export function createServer<Auth = unknown>(
  options: WithAuthenticate<ServerOptions<Auth>, Auth>,
): FastifyInstance {
  checkHttpOptions(options, 'createServer', serverChecks)
  const { logLevel = 'info', accessLog = true, health = true, openapi } = options
  const ownLogger = hasOwnLogger(options) ? {} : { logger: createLoggerOptions(logLevel) }
  const app = createFastify({ ...ownLogger, ...options }, (error, request, reply) =>
    mount.fail(error, request, reply),
  )
  const described = openapi && { openapi: addHealth(openapi, options) }
  const mount = createMount({ ...options, ...described }, app.log)
  app.setErrorHandler(mount.fail)
  addNotFoundHandler(app, mount)
  if (accessLog) addAccessLog(app)
  if (health) addHealthRoutes(app, options)
  listenOnAllOfLocalhost(app)
  addDrain(app)
  registerBeforeReady(app, async (scope) => addRoutes(scope, mount, options), options)
  return app
}

/** True if the application logs with a logger of its own. */
function hasOwnLogger({ logger, loggerInstance }: ServerOptions): boolean {
  return logger !== undefined || loggerInstance !== undefined
}

function createFastify(
  options: ServerOptions,
  frameworkErrors: NonNullable<FastifyServerOptions['frameworkErrors']>,
): FastifyInstance {
  const { https, logger, loggerInstance, trustProxy, requestIdHeader } = options
  const passed: FastifyServerOptions = {
    frameworkErrors,
    logController: new LogController({ disableRequestLogging: true }),
    ...(logger !== undefined && { logger }),
    ...(loggerInstance !== undefined && { loggerInstance }),
    ...(trustProxy !== undefined && { trustProxy }),
    ...(requestIdHeader !== undefined && { requestIdHeader }),
    genReqId: options.genReqId ?? createRequestIdGenerator(),
    routerOptions: { maxParamLength: maxUrlLength },
    exposeHeadRoutes: false,
    return503OnClosing: false,
  }
  // Fastify takes the scheme of the address that `listen` returns from its own option.
  const scheme: object = https === undefined ? {} : { https }
  return fastify({ ...passed, ...scheme, ...createServerFactory(toHttpServerOptions(options)) })
}

/** The options of the HTTP server, with their defaults. */
function toHttpServerOptions(options: ServerOptions): HttpServerOptions {
  const { requestTimeout = 60_000, sendTimeout = 60_000, queueTimeout = 1000 } = options
  const { maxConnections = 4096 } = options
  return {
    tls: options.https,
    maxHeaderSize,
    requestTimeout,
    sendTimeout,
    queueTimeout,
    maxConnections,
    documents: options.model,
    allowedHosts: options.allowedHosts ?? [],
    publicUrl: options.publicUrl,
  }
}

/**
 * Registers the routes when the application is started, so that they come after every plugin: a plugin acts on the routes
 * that are registered after it.
 */
function registerBeforeReady(
  app: FastifyInstance,
  register: FastifyPluginAsync,
  { prefix = '' }: ServerOptions,
): void {
  let isRegistered = false
  app.ready = new Proxy(app.ready, {
    apply: (ready, self, args) => {
      if (!isRegistered) void app.register(register, { prefix })
      isRegistered = true
      return Reflect.apply(ready, self, args)
    },
  })
}

/** Adds the health routes to the description. */
function addHealth(
  openapi: true | OpenApiOptions,
  { health = true, publicUrl = '' }: ServerOptions,
): true | OpenApiOptions {
  if (!health) return openapi
  const settings = openapi === true ? {} : openapi
  return { ...settings, paths: { ...describeHealth(publicUrl), ...settings.paths } }
}
