import type { FastifyInstance, FastifyPluginAsync, FastifyRequest, RegisterOptions } from 'fastify'
import { describeAccess } from '../../handlers/list-access.ts'
import type { Route } from '../../handlers/route-table.ts'
import { createOriginCheck } from '../check-origin.ts'
import { createRoutes } from '../create-routes.ts'
import { createMountHeaders } from '../identity-headers.ts'
import { createMethodError } from '../methods.ts'
import { createOpenWritesWarning } from '../open-writes.ts'
import {
  anyValue,
  checkHttpOptions,
  defaultMaxBody,
  type HttpOptions,
  type WithAuthenticate,
} from '../options.ts'
import { createOriginResolver } from '../origin.ts'
import { createRouter } from '../router.ts'
import { addBodyParsers } from './body-parsers.ts'
import { createErrorReporter } from './errors.ts'
import { createResponseSender } from './page-response.ts'
import { createJsonSender } from './response.ts'
import { type Authenticate, authKey, registerRoutes } from './routes.ts'

/** The options of the plugin `jsonApi`. */
export interface JsonApiOptions<Auth = unknown> extends HttpOptions<Auth> {
  /**
   * Returns the auth context of a request: hooks receive it as `context.auth`. It runs once for each request that has a
   * route, before the body is read. A `RequestError` that it throws is sent to the client.
   */
  readonly authenticate?: Authenticate<NoInfer<Auth>>
}

/**
 * Adds the routes of a model to a Fastify application: `app.register(jsonApi, { prefix: '/api', model, store })`. The plugin
 * is encapsulated: the application's own routes keep their parsers, error handler and responses to unknown paths. Plugins of
 * the application that are registered before it act on its routes.
 *
 * @throws DeclarationError for unknown or wrong options, when the application is started
 * @see https://fastify.dev/docs/latest/Reference/Encapsulation/
 */
export const jsonApi: FastifyPluginAsync<JsonApiOptions> = async (app, options) => {
  const reject = addModel(app, options)
  if (app.prefix !== '') addNotFoundHandler(app, reject)
}

/**
 * Adds what `jsonApi` adds, without the response to requests that have no route.
 * @returns how to reject them
 */
export function addModel(app: FastifyInstance, options: JsonApiOptions): RejectRequest {
  // The prefix includes those of the plugins around this one.
  const { prefix } = app
  const checks = { logLevel: anyValue, logSerializers: anyValue }
  for (const each of [options, { ...options, prefix }]) checkHttpOptions(each, 'jsonApi', checks)
  const { model, store, authenticate, publicUrl, maxBody = defaultMaxBody, html } = options
  const { routes, context } = createRoutes({ ...options, prefix })
  const sendJson = createJsonSender(createMountHeaders(options))
  const send = createResponseSender({ html, prefix, publicUrl }, sendJson, context)
  const reportError = createErrorReporter(app.log, send)
  if (authenticate) app.decorateRequest(authKey, null)
  addBodyParsers(app, maxBody)
  app.setErrorHandler(reportError)
  if (model.access?.isClosed)
    app.addHook('onReady', (done) => {
      app.log.info({ access: describeAccess(model) }, 'who may do what')
      done()
    })
  // Where the database cannot be reached yet, the first request tries again.
  app.addHook('onReady', () => store.prepare().catch(() => {}))
  registerRoutes(app, {
    routes,
    context,
    authenticate,
    warnOfOpenWrites: createOpenWritesWarning(options, app.log),
    resolveOrigin: createOriginResolver(publicUrl),
    checkOrigin: createOriginCheck(options),
    reportError,
    send,
    sendJson,
    maxBody,
    html,
    ...(options.publicRoot !== undefined && { publicRoot: options.publicRoot }),
  })
  return createRejection(routes, prefix, authenticate)
}

/**
 * Returns the options of `jsonApi`, after the compiler has compared `authenticate` with the auth context of the model:
 * `app.register(jsonApi, defineJsonApiOptions({ prefix: '/api', model, store, authenticate }))`. Fastify takes the types of a
 * plugin's options from the plugin alone, which does not know the model.
 */
export function defineJsonApiOptions<Auth>(
  options: WithAuthenticate<JsonApiOptions<Auth>, Auth> & RegisterOptions,
): JsonApiOptions & RegisterOptions {
  return options
}

/** Rejects a request that has no route. It always throws. */
export type RejectRequest = (request: FastifyRequest) => Promise<never>

/** Creates the rejection of requests that have no route: 404, and 405 for methods that Fastify's router does not know. */
function createRejection(
  routes: readonly Route[],
  prefix: string,
  authenticate: Authenticate | undefined,
): RejectRequest {
  let match: ReturnType<typeof createRouter> | undefined
  return async (request) => {
    match ??= createRouter(routes, prefix)
    const { route } = match(request.url)
    route.checkVisible?.(await authenticate?.(request))
    throw createMethodError(route, request.method)
  }
}

/** Rejects requests that have no route below the prefix of the plugin, before the body is read. */
export function addNotFoundHandler(app: FastifyInstance, reject: RejectRequest): void {
  // Fastify runs every kind of hook of a not-found handler; its types know only those after the body is read. A hook of the
  // application would run for all routes.
  const hooks: object = { onRequest: reject }
  app.setNotFoundHandler(hooks, reject)
}
