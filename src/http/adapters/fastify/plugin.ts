import type {
  FastifyError,
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  RegisterOptions,
} from 'fastify'
import type { Route } from '../../../endpoints/route-table.ts'
import { describeAccess } from '../../../tools/list-access.ts'
import { createRouteNotFound } from '../../headers.ts'
import {
  anyValue,
  checkHttpOptions,
  type HttpOptions,
  type WithAuthenticate,
} from '../../options.ts'
import { type Authenticate, createMount, type Mount } from './mount.ts'

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
  // The prefix includes those of the plugins around this one.
  const { prefix } = app
  const checks = { logLevel: anyValue, logSerializers: anyValue }
  for (const each of [options, { ...options, prefix }]) checkHttpOptions(each, 'jsonApi', checks)
  const mount = createMount({ ...options, prefix }, app.log)
  addRoutes(app, mount, options)
  if (prefix !== '') addNotFoundHandler(app, mount)
}

/** Adds what `jsonApi` adds, without the response to requests that have no route. */
export function addRoutes(
  app: FastifyInstance,
  mount: Mount,
  { model, store }: Pick<HttpOptions, 'model' | 'store'>,
): void {
  passBodiesOn(app)
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (headErrors.has(error.code)) mount.dispatch(request, reply)
    else mount.fail(error, request, reply)
  })
  if (model.access?.isClosed)
    app.addHook('onReady', (done) => {
      app.log.info({ access: describeAccess(model) }, 'who may do what')
      done()
    })
  // Where the database cannot be reached yet, the first request tries again.
  app.addHook('onReady', () => store.prepare().catch(() => {}))
  registerRoutes(app, mount)
}

/** Errors of Fastify about the media type of a body that it would parse. The dispatcher decides whether, and what, is wrong with it. */
const headErrors: ReadonlySet<string> = new Set([
  'FST_ERR_CTP_INVALID_MEDIA_TYPE',
  'FST_ERR_ROUTE_MISSING_CONTENT_TYPE',
])

/** Leaves every body to the dispatcher, which reads it once the request is authenticated. */
function passBodiesOn(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  // Fastify caches the parser that a regular expression has matched, so it parses the header field once.
  for (const type of [/^application\/vnd\.api\+json$/, '*'])
    app.addContentTypeParser(type, (_request, payload, done) => done(null, payload))
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

/**
 * Rejects requests that have no route below the prefix of the plugin, before the body is read: 404, and 405 for methods that Fastify's
 * router does not know. Others that it has not found are not served: plugins of the application have not seen them as requests of a route.
 */
export function addNotFoundHandler(app: FastifyInstance, mount: Mount): void {
  const reject = (request: FastifyRequest, reply: FastifyReply) => {
    if (app.supportedMethods.includes(request.method))
      mount.fail(createRouteNotFound(request.raw.url ?? ''), request, reply)
    else mount.dispatch(request, reply)
  }
  // Fastify runs every kind of hook of a not-found handler; its types know only those after the body is read. A hook of the
  // application would run for all routes.
  const hooks: object = {
    onRequest: (request: FastifyRequest, reply: FastifyReply, _done: () => void) =>
      reject(request, reply),
  }
  app.setNotFoundHandler(hooks, reject)
}

/** Keeps a route out of the description that `@fastify/swagger` makes. The types of Fastify do not know the option. */
const hidden: FastifySchema & Readonly<{ hide: boolean }> = { hide: true }

/** `id` is the only parameter in the path patterns of the route table. */
interface Params {
  readonly Params: Readonly<{ id?: string }>
}

/**
 * Registers every path of the model for every method that Fastify's router knows. The dispatcher decides everything else, so that plugins
 * such as `@fastify/rate-limit` see each request before it. The prefix of the paths is that of the plugin.
 */
function registerRoutes(app: FastifyInstance, mount: Mount): void {
  for (const route of mount.routes)
    for (const method of Object.keys(route.methods))
      app.route<Params>({
        ...{ url: route.path, method, exposeHeadRoute: false },
        ...(route.target === undefined && { schema: hidden }),
        handler: (request, reply) => {
          mount.dispatch(request, reply, { route, id: request.params.id ?? '' })
        },
      })
  for (const [url, group] of Map.groupBy(mount.routes, ({ path }) => toPattern(path)))
    registerOtherMethods(app, url, group, mount)
}

/** The pattern of the paths below that of a resource, because each route of Fastify makes the start slower; of others the path itself. */
function toPattern(path: string): string {
  return path.replace(/^(\/[^/]+\/:id)\/.+/, '$1/*')
}

/**
 * Registers one route for all methods that one of several paths does not handle: HEAD, OPTIONS, and those that are rejected. Each further
 * route would make the start of Fastify slower, more than in proportion to their number.
 * @param url - the path, or the pattern of all paths
 */
function registerOtherMethods(
  app: FastifyInstance,
  url: string,
  [first, ...others]: readonly Route[],
  mount: Mount,
): void {
  if (first === undefined) return
  const all = [first, ...others]
  const isOne = others.length === 0
  app.route<Params>({
    ...{ url: isOne ? first.path : url, schema: hidden },
    method: app.supportedMethods.filter((name) => all.some(({ methods }) => !(name in methods))),
    handler: (request, reply) => {
      const { url: target = '' } = request.raw
      const match = isOne ? { route: first, id: request.params.id ?? '' } : mount.find(target)
      if (match) mount.dispatch(request, reply, match)
      else reply.callNotFound()
    },
  })
}
