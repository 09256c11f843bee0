import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  HookHandlerDoneFunction,
  RequestPayload,
} from 'fastify'
import { toError } from '../../errors/to-error.ts'
import type { AppContext } from '../../handlers/app-context.ts'
import type { ApiRequest, RouteHandler } from '../../handlers/handler.ts'
import type { Method } from '../../handlers/model-paths.ts'
import type { Route } from '../../handlers/route-table.ts'
import type { Awaitable } from '../../model/hooks.ts'
import type { createOriginCheck } from '../check-origin.ts'
import { createDisconnectSignal } from '../disconnect-signal.ts'
import { announcesBody, checkHead, commonHeaders } from '../headers.ts'
import type { HtmlPages } from '../html.ts'
import {
  createMethodError,
  formatAllowedMethods,
  isPreflight,
  listAllowedMethods,
  preflightField,
} from '../methods.ts'
import { getLocalHost, type OriginResolver } from '../origin.ts'
import { findPublicChallenge, isPublicPage } from '../public-root.ts'
import { getQueryString } from '../query-string.ts'
import { createRouteFinder } from '../router.ts'
import { responseKey } from './body-parsers.ts'
import type { ErrorReporter } from './errors.ts'
import { createFileHandler } from './file-handler.ts'
import type { ResponseSender, Sendable } from './response.ts'

/** Returns the auth context of a request, or a promise of it. */
export type Authenticate<Auth = unknown> = (request: FastifyRequest) => Awaitable<Auth>

/** The dependencies of every route. */
interface RouteOptions {
  readonly routes: readonly Route[]
  readonly context: AppContext
  readonly authenticate: Authenticate | undefined
  /** Gets the auth context of each request. */
  readonly warnOfOpenWrites: (auth: unknown) => void
  readonly resolveOrigin: OriginResolver
  readonly checkOrigin: ReturnType<typeof createOriginCheck>
  readonly reportError: ErrorReporter
  readonly send: ResponseSender
  /** Sends a response that is not shown as a page. */
  readonly sendJson: ResponseSender
  readonly html: HtmlPages | undefined
  readonly publicRoot?: boolean
  /** In bytes. */
  readonly maxBody: number
}

/** The property of a request that holds its auth context. */
export const authKey = Symbol('lapidary.auth')
/** The property of a request that holds the challenge if `authenticate` has rejected it, and it gets the public landing page. */
export const challengeKey = Symbol('lapidary.challenge')

/**
 * Registers every path of the model for every method that Fastify's router knows: the handlers, HEAD, OPTIONS, and an error for all
 * others. The prefix of the paths is that of the plugin.
 */
export function registerRoutes(app: FastifyInstance, options: RouteOptions): void {
  const all = options.routes.map((route) => createHandlers(route, options))
  for (const each of all) registerHandlers(app, each, options)
  for (const [url, group] of Map.groupBy(all, ({ route }) => toPattern(route.path))) {
    const [first, ...others] = group.map((each) => createOtherMethods(each, options))
    if (first === undefined) continue
    if (others.length === 0) registerOtherMethods(app, first.route.path, [first])
    else registerOtherMethods(app, url, [first, ...others])
  }
}

/** The pattern of the paths below that of a resource, because each route of Fastify makes the start slower; of others the path itself. */
function toPattern(path: string): string {
  return path.replace(/^(\/[^/]+\/:id)\/.+/, '$1/*')
}

/** A handler of Fastify. */
type Handler = ReturnType<typeof createRouteHandler>

/** What the routes of one path have in common. */
interface HandledRoute {
  readonly route: Route
  readonly handlers: Readonly<Partial<Record<Method, Handler>>>
  /** The hooks that authenticate its requests; none if they are not authenticated. */
  readonly authenticate: readonly PreParsingHook[]
}

function createHandlers(route: Route, options: RouteOptions): HandledRoute {
  const { authenticate, reportError } = options
  const isAuthenticated = !route.isPublic && authenticate !== undefined
  const { file } = route
  const handlers = Object.entries(route.methods).map(([method, handle]) => [
    method,
    file && method === 'GET'
      ? createFileHandler(file, reportError)
      : createRouteHandler({ method, handle, isAuthenticated }, route, options),
  ])
  return {
    route,
    handlers: Object.fromEntries(handlers),
    authenticate: isAuthenticated
      ? [createAuthHook(authenticate, options, isPublicPage(route, options))]
      : [],
  }
}

/** Registers a route for each method with a handler. */
function registerHandlers(
  app: FastifyInstance,
  { route, handlers, authenticate }: HandledRoute,
  options: RouteOptions,
): void {
  // These hooks run after every onRequest hook: plugins such as @fastify/rate-limit append an onRequest hook to a route, and must see
  // the requests that fail here.
  const beforeRead = [checkHeaders, ...authenticate]
  const beforeWrite = [createOriginHook(options), ...beforeRead]
  for (const [method, handler] of Object.entries(handlers))
    app.route({
      ...{ url: route.path, bodyLimit: options.maxBody, exposeHeadRoute: false, method, handler },
      preParsing: method === 'GET' ? beforeRead : beforeWrite,
      ...(route.target === undefined && { schema: hidden }),
    })
}

/** Creates the hook that rejects a write which a page of another origin has caused. */
function createOriginHook({ checkOrigin }: RouteOptions) {
  return (
    request: FastifyRequest,
    _reply: FastifyReply,
    _payload: RequestPayload,
    done: HookHandlerDoneFunction,
  ): void => {
    const { headers, raw, protocol } = request
    // Most writes are from clients that are no browsers.
    if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) {
      const host = request.host || getLocalHost(raw)
      checkOrigin({ header: (name) => headers[name]?.toString(), host, protocol })
    }
    done()
  }
}

/** Keeps a route out of the description that `@fastify/swagger` makes. The types of Fastify do not know the option. */
const hidden: FastifySchema & Readonly<{ hide: boolean }> = { hide: true }

/**
 * Creates the hook that authenticates a request before its body is read.
 * @param hasPublicPage - whether browsers without credentials get its page
 */
function createAuthHook(
  authenticate: Authenticate,
  { warnOfOpenWrites }: RouteOptions,
  hasPublicPage: boolean,
) {
  return (
    request: FastifyRequest,
    _reply: FastifyReply,
    _payload: RequestPayload,
    done: HookHandlerDoneFunction,
  ): void => {
    const finish = (auth: unknown) => {
      Reflect.set(request, authKey, auth)
      done()
    }
    const accept = (auth: unknown) => {
      warnOfOpenWrites(auth)
      finish(auth)
    }
    // A hook that passes on `undefined` would accept the request.
    const fail = (thrown: unknown) => {
      const { method, headers } = request
      const rejected = {
        method,
        accept: headers.accept,
        readHeader: (name: string) => headers[name],
      }
      const challenge = findPublicChallenge(thrown, rejected, hasPublicPage)
      if (challenge === undefined) return done(toError(thrown))
      Reflect.set(request, challengeKey, challenge)
      finish(undefined)
    }
    try {
      const auth = authenticate(request)
      if (isThenable(auth)) Promise.resolve(auth).then(accept).catch(fail)
      else accept(auth)
    } catch (thrown) {
      fail(thrown)
    }
  }
}

/** True for promises, those of other libraries included. */
function isThenable(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'then' in value &&
    typeof value.then === 'function'
  )
}

function createRouteHandler(
  {
    method,
    handle,
    isAuthenticated,
  }: Readonly<{ method: string; handle: RouteHandler; isAuthenticated: boolean }>,
  route: Route,
  { context, resolveOrigin, reportError, send, sendJson }: RouteOptions,
) {
  // Only GET is answered by pages.
  const respond = method === 'GET' ? bindSender(send, route) : sendJson
  // Without `await`: a response that is ready is sent in the same turn, without a promise.
  return (request: FastifyRequest, reply: FastifyReply) => {
    try {
      const origin = resolveOrigin(request.host || getLocalHost(request.raw), request.protocol)
      const auth: unknown = isAuthenticated ? Reflect.get(request, authKey) : undefined
      const response = handle(new FastifyApiRequest(request, reply, auth, origin), context)
      return response instanceof Promise
        ? response
            .then((later) => respond(reply, later))
            .catch((error) => reportError(error, request, reply))
        : respond(reply, response)
    } catch (error) {
      return reportError(error, request, reply)
    }
  }
}

/** Creates the function that sends the successful responses of a route, with the header fields of the route. */
function bindSender(send: ResponseSender, route: Route) {
  const { headers } = route
  return headers
    ? (reply: FastifyReply, response: Sendable) => send(reply.headers(headers), response, route)
    : (reply: FastifyReply, response: Sendable) => send(reply, response, route)
}

/** How the methods of a path without a handler of their own are answered. */
interface OtherMethods extends HandledRoute {
  /** The methods that the path has; HEAD and OPTIONS included. */
  readonly known: readonly string[]
  /** Of the response to OPTIONS. */
  readonly headers: Readonly<Record<string, string>>
  /** Rejects a path that does not exist for the identity. Absent for one that exists for everybody. */
  readonly checkVisible: ReturnType<typeof createVisibilityHook>
}

function createOtherMethods(handled: HandledRoute, options: RouteOptions): OtherMethods {
  const { route } = handled
  return {
    ...handled,
    known: listAllowedMethods(route.methods),
    headers: { ...commonHeaders, allow: formatAllowedMethods(route) },
    checkVisible: createVisibilityHook(route, options),
  }
}

/**
 * Registers one route for all methods that one of several paths does not handle. Each further route would make the start of Fastify
 * slower, more than in proportion to their number.
 * @param url - the path, or the pattern of all paths
 */
function registerOtherMethods(
  app: FastifyInstance,
  url: string,
  all: readonly [OtherMethods, ...OtherMethods[]],
): void {
  const { find, get } = createLookup(all, app.prefix)
  const rejectMethod = ({ method }: FastifyRequest, { known, route }: OtherMethods) => {
    if (!known.includes(method)) throw createMethodError(route, method)
  }
  app.route({
    ...{ url, schema: hidden },
    method: app.supportedMethods.filter((name) => all.some(({ handlers }) => !(name in handlers))),
    onRequest: async (request, reply) => {
      const other = find(request)
      if (other === undefined) return reply.callNotFound()
      if (!other.checkVisible) rejectMethod(request, other)
    },
    preParsing: [
      (request, reply, payload, done) =>
        get(request).known.includes(request.method)
          ? checkHeaders(request, reply, payload, done)
          : done(),
      async (request) => {
        await get(request).checkVisible?.(request)
        rejectMethod(request, get(request))
      },
      (request, reply, payload, done) => {
        const [authenticate] = get(request).authenticate
        if (authenticate && request.method === 'HEAD') authenticate(request, reply, payload, done)
        else done()
      },
    ],
    handler: (request, reply) => {
      const { handlers, headers } = get(request)
      return handlers.GET && request.method === 'HEAD'
        ? handlers.GET(request, reply)
        : reply.code(204).headers(headers).send()
    },
  })
}

/** Creates the functions that find the path of a request among several, and that return the one that was found. */
function createLookup(all: readonly [OtherMethods, ...OtherMethods[]], prefix: string) {
  const [first, ...others] = all
  if (others.length === 0) return { find: () => first, get: () => first }
  const byRoute = new Map(all.map((each) => [each.route, each]))
  const found = new WeakMap<FastifyRequest, OtherMethods>()
  let findRoute: ReturnType<typeof createRouteFinder> | undefined
  return {
    find: (request: FastifyRequest) => {
      findRoute ??= createRouteFinder([...byRoute.keys()], prefix)
      const match = findRoute(request.url)
      const other = match && byRoute.get(match.route)
      if (other) found.set(request, other)
      return other
    },
    get: (request: FastifyRequest) => found.get(request) ?? first,
  }
}

type PreParsingHook = typeof checkHeaders

/**
 * Creates the hook that rejects a path which does not exist for the identity; `undefined` if it exists for everybody. For HEAD the handler
 * of GET rejects it.
 */
function createVisibilityHook({ checkVisible, methods }: Route, { authenticate }: RouteOptions) {
  if (checkVisible === undefined) return undefined
  return async (request: FastifyRequest) => {
    const { method, headers } = request
    const isRead = method === 'HEAD' && methods.GET !== undefined
    if (isRead || isPreflight(method, headers[preflightField])) return
    checkVisible(await authenticate?.(request))
  }
}

/** Checks the header fields. */
function checkHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  _payload: RequestPayload,
  done: HookHandlerDoneFunction,
): void {
  const { raw, headers } = request
  checkHead({
    method: request.method,
    target: raw.url ?? '',
    accept: headers.accept,
    contentType: headers['content-type'],
    contentEncoding: headers['content-encoding'],
    hasBody: announcesBody(headers),
  })
  Reflect.set(request, responseKey, reply.raw)
  done()
}

const noBytes = new Uint8Array()

/** The parts of a Fastify request that handlers use. Getters read what few requests need. */
class FastifyApiRequest implements ApiRequest {
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  #signal: AbortSignal | undefined
  readonly auth: unknown
  readonly origin: string
  readonly search: string

  constructor(request: FastifyRequest, reply: FastifyReply, auth: unknown, origin: string) {
    this.#request = request
    this.#reply = reply
    this.auth = auth
    this.origin = origin
    this.search = getQueryString(request.raw.url ?? '')
  }

  get id(): string {
    // `id` is the only parameter in the path patterns of the route table.
    return (this.#request.params as { id?: string }).id ?? ''
  }

  get body(): Uint8Array {
    const { body } = this.#request
    return body instanceof Uint8Array ? body : noBytes
  }

  get requestId(): string {
    return this.#request.id
  }

  get ip(): string {
    return this.#request.ip
  }

  get log(): FastifyRequest['log'] {
    return this.#request.log
  }

  readonly signal = (): AbortSignal => {
    this.#signal ??= createDisconnectSignal(this.#reply.raw)
    return this.#signal
  }
}
