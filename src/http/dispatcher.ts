import { hash } from 'node:crypto'
import { applyProfiles } from '../endpoints/apply-profiles.ts'
import type { ApiRequest, ApiResponse, RouteHandler } from '../endpoints/handler.ts'
import { locateErrorsOf } from '../endpoints/operation-errors.ts'
import { reportUnreadable } from '../endpoints/preferences.ts'
import type { Route } from '../endpoints/route-table.ts'
import { attempt, emptyCollector, hasErrors, throwErrors } from '../errors/collector.ts'
import { requireImmediate } from '../errors/require-immediate.ts'
import type { Awaitable } from '../model/declare/hooks.ts'
import type { Logger } from '../model/declare/request-context.ts'
import { measurePart, requestEnded } from '../observe/events.ts'
import { type ConditionFields, checkConditions, matchesNone } from '../parse/entity-tags.ts'
import { computeFingerprint, parseIdempotencyKey } from '../parse/idempotency-key.ts'
import { acceptQuery } from '../parse/negotiate.ts'
import { type Preferences, parsePreferences } from '../parse/prefer.ts'
import type { DocumentVersion } from '../serialize/document.ts'
import { createOriginCheck } from './check-origin.ts'
import { createRoutes } from './create-routes.ts'
import { createErrorResponder, logInternalError } from './errors.ts'
import {
  type CredentialOptions,
  checkHead,
  commonHeaders,
  createIdentityHeaders,
  createMountHeaders,
  getQueryString,
  privateCacheControl,
} from './headers.ts'
import { type RoutedRequest, toPage, wantsPage } from './html.ts'
import {
  createMethodError,
  findMethod,
  formatAllowedMethods,
  isPreflight,
  isRead,
  preflightField,
  takesQuery,
} from './methods.ts'
import { createRequestObserver } from './observe-requests.ts'
import { createOpenWritesWarning } from './open-writes.ts'
import type { HttpOptions } from './options.ts'
import { createOriginResolver, findOrigin } from './origin.ts'
import { findPublicChallenge, isPublicPage } from './public-root.ts'
import { overrideMethod, processQuery } from './query-method.ts'
import type { HttpRequest, HttpResponse } from './request.ts'
import { createRouteFinder, type FindRoute, type Match, requireRoute } from './router.ts'
import { createFileResponder, type FileResponder } from './static-files.ts'

/** What happens between the request of a host and the response to it. The adapters only convert both. */
export interface Dispatcher {
  readonly routes: readonly Route[]
  /** Finds the route of a request target. @throws HttpError `invalid_request` (400) for a path that is not UTF-8 */
  readonly find: FindRoute
  /**
   * Processes a request: method, origin, header fields, authentication, body, handler. It reports every error as a response.
   * @param match - the route. Default: that of the request target
   */
  readonly dispatch: (request: HttpRequest, match?: Match) => Promise<HttpResponse>
  /**
   * Returns the response to a request whose processing threw an error, also one of the host.
   * @param documentVersion - that of the documents of the path. Default: that of the model
   */
  readonly fail: (
    error: unknown,
    request: HttpRequest,
    documentVersion?: DocumentVersion,
  ) => Promise<HttpResponse>
}

/**
 * Creates the dispatcher of a mount.
 * @param log - the logger of the application
 * @throws DeclarationError when a resource type has the path of the reference page
 */
export function createDispatcher(options: HttpOptions, log: Logger): Dispatcher {
  const { routes, context: app } = createRoutes(options)
  const { jsonapi, profiles } = options.model
  const { respond, fail } = createResponder(options, log, new Set(routes.filter(takesQuery)))
  const toQuery = options.methodOverride ? overrideMethod : undefined
  const resolveOrigin = createOriginResolver(options.publicUrl)
  const checkOrigin = createOriginCheck(options)
  const authenticate = createAuthentication(options, log)
  const files = new Map<Route, FileResponder>()
  for (const route of routes) if (route.file) files.set(route, createFileResponder(route.file))
  let findRoute: FindRoute | undefined
  // A host with a router of its own may never need this one.
  const find: FindRoute = (target) => {
    findRoute ??= createRouteFinder(routes, options.prefix ?? '')
    return findRoute(target)
  }
  const findOrThrow = requireRoute(find)
  const observe = createRequestObserver(options)
  async function dispatch(
    sent: HttpRequest,
    match?: Match,
    isObserved = false,
  ): Promise<HttpResponse> {
    const request = toQuery ? toQuery(sent) : sent
    if (requestEnded.hasSubscribers && !isObserved) {
      const found = match ?? tryFind(find, request.target)
      return observe(request, found, () => dispatch(request, found, true))
    }
    let documentVersion: DocumentVersion = jsonapi
    try {
      const { route, id } = match ?? findOrThrow(request.target)
      if (route.isAtomic) documentVersion = '1.1'
      const method = findMethod(route, request.method)
      if (method === undefined) await checkOtherMethod(route, request)
      else if (method !== 'GET') checkOrigin(request)
      checkHead(request, route, options.model)
      if (route.isAtomic) documentVersion = 'atomic'
      const handler = method && route.methods[method]
      if (handler === undefined) return listMethods(route)
      const handle =
        documentVersion === '1.1' && method !== 'GET' ? withExistingPointers(handler) : handler
      const respondWithFile = route.file && files.get(route)
      if (respondWithFile) return finish(await respondWithFile(request), request, noFields)
      const needsIdentity = !route.isPublic && request.authenticate !== undefined
      const identity = needsIdentity ? await authenticate(route, request) : nobody
      const { target, requestId, ip, log, signal } = request
      const runHandler = (body: Uint8Array, query?: Pick<ApiRequest, 'search' | 'isLong'>) => {
        const origin = resolveOrigin(request.host, request.protocol)
        const search = getQueryString(target)
        const { auth } = identity
        const call = { auth, requestId, ip, log, signal, id, search, origin, body }
        const hasProfiles = profiles !== undefined && isRead(request.method)
        const context = hasProfiles ? applyProfiles(app, call, request.header('accept')) : app
        // V8 copies one object quickly, and most requests need no copy.
        if (query) return handle({ ...call, ...query, ...readPreferences(request) }, context)
        const demands = readDemands(request, body, origin)
        return handle(demands ? { ...call, ...demands } : call, context)
      }
      if (method !== 'GET') return await respond(await request.processBody(runHandler), request)
      if (request.method === 'QUERY') {
        const run = (query: Pick<ApiRequest, 'search' | 'isLong'>) => runHandler(noBytes, query)
        const response = await processQuery(request, run, documentVersion)
        return await respond(response, request, route)
      }
      const { auth, challenge } = identity
      const routed = { context: app, route, id, auth, challenge, signal }
      const response = runHandler(noBytes)
      const complete = response instanceof Promise ? await response : response
      const responded = respond(complete, request, route, routed)
      // Most reads on SQLite are complete by now, and to await a value takes as long as to build these objects.
      return responded instanceof Promise ? await responded : responded
    } catch (error) {
      return fail(error, request, documentVersion)
    }
  }
  return {
    ...{ routes, find, dispatch },
    fail: (error, request) =>
      requestEnded.hasSubscribers
        ? observe(request, undefined, () => fail(error, request))
        : fail(error, request),
  }
}

/** Returns a handler whose errors lead to values that the body has, as JSON:API 1.1 demands. */
function withExistingPointers(handle: RouteHandler): RouteHandler {
  return (request, context) => locateErrorsOf(() => handle(request, context), request.body)
}

/** Finds the route of a path if it has one. The dispatcher reports a path that is not UTF-8. */
function tryFind(find: FindRoute, target: string): Match | undefined {
  try {
    return find(target)
  } catch {
    return undefined
  }
}

const noBytes = new Uint8Array()
const noFields: AddedFields = { mount: {} }

/** What the client of a QUERY prefers; `undefined` for nothing. */
function readPreferences({ header }: HttpRequest): Pick<ApiRequest, 'preferences'> | undefined {
  const prefer = header('prefer')
  return prefer === undefined ? undefined : { preferences: parsePreferences(prefer) }
}

/** What the header fields of a request demand of its execution; `undefined` if they demand nothing. */
function readDemands(
  { method, target, header }: HttpRequest,
  body: Uint8Array,
  origin: string,
): Partial<ApiRequest> | undefined {
  const prefer = header('prefer')
  const preferences = prefer === undefined ? undefined : parsePreferences(prefer)
  const ifNoneMatch = header('if-none-match')
  if (isRead(method)) {
    if (ifNoneMatch === undefined) return preferences && { preferences }
    const representation = JSON.stringify([origin, target, header('accept'), prefer])
    return { ...(preferences && { preferences }), revalidation: { ifNoneMatch, representation } }
  }
  const ifMatch = header('if-match')
  const field = header('idempotency-key')
  const hasCondition = ifMatch !== undefined || ifNoneMatch !== undefined
  if (!preferences && !hasCondition && field === undefined) return undefined
  const conditions = hasCondition ? { ifMatch, ifNoneMatch } : undefined
  const key = readKey(field, conditions, preferences)
  return {
    ...(preferences && { preferences }),
    ...(conditions && { conditions }),
    ...(key !== undefined && {
      idempotency: {
        key,
        fingerprint: computeFingerprint({
          ...{ method, target, body },
          contentType: header('content-type'),
        }),
      },
    }),
  }
}

/**
 * Reads the key of a write, and checks the other header fields that restrict it, so that their errors are reported together.
 * @throws ApiError | ManyErrors (400)
 */
function readKey(
  field: string | undefined,
  conditions: ConditionFields | undefined,
  preferences: Preferences | undefined,
): string | undefined {
  const errors = emptyCollector()
  const key = field === undefined ? undefined : attempt(() => parseIdempotencyKey(field), errors)
  if (conditions) attempt(() => checkConditions(conditions), errors)
  // The plan of the request decides which of the others can be applied.
  if (preferences && hasErrors(errors)) reportUnreadable(preferences, errors)
  throwErrors(errors)
  return key
}

/**
 * Checks a request whose method has no handler. It is authenticated if its path may not exist for every identity.
 * @throws HiddenRouteError if it does not exist; HttpError `method_not_allowed` (405) or `read_only` (403), unless it is OPTIONS
 */
async function checkOtherMethod(route: Route, request: HttpRequest): Promise<void> {
  const { method } = request
  if (route.checkVisible && !isPreflight(method, request.header(preflightField)))
    route.checkVisible(await request.authenticate?.())
  if (method !== 'OPTIONS') throw createMethodError(route, method)
}

/**
 * Computes the entity tag of a document: the version of its resource, which conditions of writes are about, and a digest of its bytes.
 * @returns `undefined` for an error, and for a response that says what was done
 */
function computeEntityTag(
  { status, headers, version }: ApiResponse,
  body: string,
  { method }: HttpRequest,
): string | undefined {
  const isDocument = version !== undefined || isRead(method)
  if (!isDocument || status >= 300 || headers?.etag !== undefined) return undefined
  // Without a document there is nothing but the version.
  if (version !== undefined && status === 204) return `"${version}"`
  const digest = hash('sha256', body, 'base64url').slice(0, 16)
  return version === undefined ? `"${digest}"` : `"${version}.${digest}"`
}

/** Whether the client of a read has this representation. */
function isUnchanged(etag: string, { method, header }: HttpRequest): boolean {
  if (!isRead(method)) return false
  const ifNoneMatch = header('if-none-match')
  return ifNoneMatch !== undefined && matchesNone(ifNoneMatch, etag)
}

/** The response to OPTIONS. */
function listMethods(route: Route): HttpResponse {
  const query = takesQuery(route) ? { 'accept-query': acceptQuery } : {}
  const headers = { ...commonHeaders, allow: formatAllowedMethods(route), ...query }
  return { status: 204, headers, body: undefined }
}

/** Who has sent a request. The challenge is that of `authenticate` to a browser without credentials, which sees the landing page. */
type Authenticated = Pick<RoutedRequest, 'auth' | 'challenge'>

const nobody: Authenticated = { auth: undefined, challenge: undefined }

/** Creates the authentication of requests. A browser without credentials may see the landing page, as nobody. */
function createAuthentication(options: HttpOptions, log: Logger) {
  const warnOfOpenWrites = createOpenWritesWarning(options, log)
  return async (route: Route, request: HttpRequest): Promise<Authenticated> => {
    try {
      const { observed } = request
      const auth = observed
        ? await measurePart(observed, 'auth', () => request.authenticate?.())
        : await request.authenticate?.()
      if (observed && typeof options.serverTiming === 'function')
        observed.showsTiming = requireImmediate(options.serverTiming(auth), 'serverTiming')
      warnOfOpenWrites(auth)
      return { auth, challenge: undefined }
    } catch (error) {
      const challenge = findPublicChallenge(error, request, isPublicPage(route, options))
      if (challenge === undefined) throw error
      return { auth: undefined, challenge }
    }
  }
}

/** Turns the responses of handlers, and errors, into what is sent. */
interface Responder {
  /**
   * @param route - that of a read; absent for a write and for an error
   * @param routed - what a page of the response is made of; absent for a QUERY, too, which no page answers
   */
  readonly respond: (
    response: ApiResponse,
    request: HttpRequest,
    route?: Route,
    routed?: RoutedRequest,
  ) => Awaitable<HttpResponse>
  readonly fail: Dispatcher['fail']
}

/** @param lists - the routes that take QUERY, and say so */
function createResponder(
  options: HttpOptions & CredentialOptions,
  log: Logger,
  lists: ReadonlySet<Route>,
): Responder {
  const { prefix = '', html, model } = options
  const resolveOrigin = createOriginResolver(options.publicUrl)
  const toErrorResponse = createErrorResponder(log, model.errorTypes)
  const fields = { mount: createMountHeaders(options), identity: createIdentityHeaders(options) }
  const listFields = {
    mount: { ...fields.mount, 'accept-query': acceptQuery },
    identity: { ...fields.identity, 'accept-query': acceptQuery },
  }
  const isMountPrivate = options.authenticate !== undefined

  /** Completes a response; a stream has begun then. */
  const complete = (
    response: ApiResponse,
    request: HttpRequest,
    isList: boolean,
  ): Awaitable<HttpResponse> => {
    const { status, mediaType, body } = response
    const headers = mediaType
      ? { 'content-type': mediaType, ...response.headers }
      : (response.headers ?? {})
    // A host may have authenticated the request though the mount does not.
    const isPrivate = request.isAuthenticated || isMountPrivate
    const { mount: open, identity } = isList ? listFields : fields
    const mount = isPrivate ? identity : open
    const caching = findCaching(response, isPrivate)
    if (typeof body !== 'string') {
      const begun = begin(body, request)
      return begun.then((chunks) =>
        finish({ status, headers, body: chunks }, request, { mount, caching }),
      )
    }
    const etag = computeEntityTag(response, body, request)
    if (status === 204)
      return finish({ status, headers, body: undefined }, request, { mount, etag })
    const added = { mount, caching, etag }
    if (status === 304) return finish({ status, headers, body: undefined }, request, added)
    if (etag !== undefined) response.onTag?.(etag)
    return etag !== undefined && isUnchanged(etag, request)
      ? finish({ status: 304, headers, body: undefined }, request, added)
      : finish({ status, headers, body }, request, added)
  }
  const render = async (response: ApiResponse, request: HttpRequest, routed?: RoutedRequest) => {
    const { target, host, protocol } = request
    const origin = findOrigin(resolveOrigin, host, protocol)
    return html ? toPage(html, response, { prefix, target, origin, routed }) : response
  }
  function respond(
    response: ApiResponse,
    request: HttpRequest,
    route?: Route,
    routed?: RoutedRequest,
  ): Awaitable<HttpResponse> {
    const described = route?.headers
      ? { ...response, headers: { ...route.headers, ...response.headers } }
      : response
    // The client of a QUERY knows that the list takes it.
    const isList = route !== undefined && request.method !== 'QUERY' && lists.has(route)
    const isPage = html !== undefined && wantsPage(request.method, request.header('accept'))
    if (!isPage) return complete(described, request, isList)
    return render(described, request, routed).then((page) => complete(page, request, isList))
  }
  return {
    respond,
    fail: async (error, request, documentVersion = model.jsonapi) =>
      respond(toErrorResponse(error, request, documentVersion), request),
  }
}

/**
 * Finds the `Cache-Control` of a response if it differs from that of the mount. A response that depends on the identity may only be
 * stricter, unless the declaration of its type says that shared caches may store it.
 */
function findCaching(
  { cacheControl, headers }: ApiResponse,
  isPrivate: boolean,
): string | undefined {
  if (cacheControl)
    return isPrivate && !cacheControl.startsWith('public')
      ? `private, ${cacheControl}`
      : cacheControl
  const own = headers?.['cache-control']
  return isPrivate && own !== undefined && own !== 'no-store' ? privateCacheControl : undefined
}

/** The header fields of a response besides its own. */
interface AddedFields {
  /** Those of every response of the mount. */
  readonly mount: HttpResponse['headers']
  readonly caching?: string | undefined
  readonly etag?: string | undefined
}

/** Completes the header fields. The responses to HEAD and 304 have no body. */
function finish(
  { status, headers, body }: HttpResponse,
  { method }: HttpRequest,
  { mount, caching, etag }: AddedFields,
): HttpResponse {
  // V8 copies one object quickly, but not several that are spread into one.
  const fields: Record<string, string> = Object.assign({ ...mount }, headers)
  if (caching !== undefined) fields['cache-control'] = caching
  if (etag !== undefined) fields.etag = etag
  // The client has the media type of what it has stored (RFC 9110 §15.4.5).
  if (status === 304 || status === 204) delete fields['content-type']
  if (typeof body === 'string' || body instanceof Uint8Array)
    fields['content-length'] = String(Buffer.byteLength(body))
  return { status, headers: fields, body: method === 'HEAD' ? undefined : body }
}

/** Begins a stream: of its first chunk, an error is reported by an error document. */
async function begin(
  body: AsyncIterable<string>,
  request: HttpRequest,
): Promise<AsyncIterable<string> | undefined> {
  const chunks = await startStream(body, (error) => logInternalError(error, request))
  if (request.method !== 'HEAD') return chunks
  await chunks.return()
  return undefined
}

/** The chunks of a streamed document. */
interface Chunks extends AsyncIterableIterator<string> {
  /** Ends the stream before its end and releases its database connection. */
  return(): Promise<IteratorResult<string>>
}

/**
 * Reads the first chunk before the head of the response is sent. An error in it is reported as an error document. A
 * generator that has begun releases its database connection however it ends; one that never began would not. A later error
 * can only cut the response off.
 *
 * @param reportLater - called with an error after the first chunk
 */
async function startStream(
  body: AsyncIterable<string>,
  reportLater: (error: unknown) => void,
): Promise<Chunks> {
  const rest = body[Symbol.asyncIterator]()
  let first: IteratorResult<string> | undefined = await rest.next()
  const readNext = async (): Promise<IteratorResult<string>> => {
    try {
      return await rest.next()
    } catch (error) {
      reportLater(error)
      throw error
    }
  }
  const chunks: Chunks = {
    next: async () => {
      const chunk = first ?? (await readNext())
      first = undefined
      return chunk
    },
    return: async () => {
      await rest.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => chunks,
  }
  return chunks
}
