import type { ApiRequest, ApiResponse } from '../handlers/handler.ts'
import type { Route } from '../handlers/route-table.ts'
import type { Logger } from '../model/request-context.ts'
import type { DocumentText } from '../serialize/document.ts'
import { createOriginCheck } from './check-origin.ts'
import { createRoutes } from './create-routes.ts'
import { createErrorResponder } from './errors.ts'
import { checkHead, commonHeaders, documentHeaders } from './headers.ts'
import { type RoutedRequest, toPage, wantsPage } from './html.ts'
import {
  choosePrivateCacheControl,
  createIdentityHeaders,
  createMountHeaders,
} from './identity-headers.ts'
import { logInternalError } from './log-internal-error.ts'
import {
  createMethodError,
  findMethod,
  formatAllowedMethods,
  isPreflight,
  preflightField,
} from './methods.ts'
import { createOpenWritesWarning } from './open-writes.ts'
import type { HttpOptions } from './options.ts'
import { createOriginResolver, findOrigin } from './origin.ts'
import { findPublicChallenge, isPublicPage } from './public-root.ts'
import { getQueryString } from './query-string.ts'
import type { HttpRequest, HttpResponse } from './request.ts'
import { createRouter } from './router.ts'
import { createFileResponder, type FileResponder } from './static-files.ts'
import { startStream } from './stream.ts'

/** Processes a request. It reports every error as a response: it never throws. */
type Dispatcher = (request: HttpRequest) => Promise<HttpResponse>

/**
 * Creates the part that the adapters without Fastify share: route, negotiation, authentication, body, handler, errors.
 * @param log - the logger of the application
 */
export function createDispatcher(options: HttpOptions, log: Logger): Dispatcher {
  const { prefix = '', html } = options
  const { routes, context } = createRoutes(options)
  const match = createRouter(routes, prefix)
  const files = new Map<Route, FileResponder>()
  for (const route of routes) if (route.file) files.set(route, createFileResponder(route.file))
  const resolveOrigin = createOriginResolver(options.publicUrl)
  const checkOrigin = createOriginCheck(options)
  const respondToError = createErrorResponder(log)
  const mountHeaders = createMountHeaders(options)
  const identityHeaders = createIdentityHeaders(options)
  const warnOfOpenWrites = createOpenWritesWarning(options, log)

  return async (request) => {
    try {
      return await dispatch(request)
    } catch (error) {
      const { method, target: url, log, isDisconnected } = request
      const failed = { method, url, log, isDisconnected: isDisconnected() }
      const response = respondToError(error, failed)
      return toHttpResponse(await present(response, request), request, selectHeaders(request))
    }
  }

  /** The header fields of the responses to a request; a host may have authenticated it though the mount does not. */
  function selectHeaders({ isAuthenticated }: HttpRequest): Readonly<Record<string, string>> {
    return isAuthenticated ? identityHeaders : mountHeaders
  }

  async function dispatch(request: HttpRequest): Promise<HttpResponse> {
    const { method } = request
    const { route, id } = match(request.target)
    const handlerMethod = findMethod(route, method)
    if (handlerMethod === undefined) await checkOtherMethod(route, request)
    if (handlerMethod !== undefined && handlerMethod !== 'GET') checkOrigin(request)
    checkRequestHead(request)
    const handle = handlerMethod && route.methods[handlerMethod]
    if (handle === undefined) return listMethods(route)
    const respondWithFile = route.file && files.get(route)
    if (respondWithFile)
      return toHttpResponse(
        await respondWithFile(readFileRequest(request)),
        request,
        documentHeaders,
      )
    const { auth, challenge } = await authenticate(route, request, options)
    if (!route.isPublic && challenge === undefined) warnOfOpenWrites(auth)
    const runHandler = (body: Uint8Array) => {
      const origin = resolveOrigin(request.host, request.protocol)
      return handle(toApiRequest(request, { id, auth, origin, body }), context)
    }
    const handled = await (handlerMethod === 'GET'
      ? runHandler(noBytes)
      : request.processBody(runHandler))
    const described = handlerMethod === 'GET' ? addHeaders(handled, route) : handled
    const routed = { context, route, id, auth, challenge, signal: request.signal }
    return startResponse(await present(described, request, routed), request, selectHeaders(request))
  }

  /** Renders the response to a browser as a page. @param routed - absent for an error */
  async function present<Body extends DocumentText>(
    response: ApiResponse<Body>,
    request: HttpRequest,
    routed?: RoutedRequest,
  ): Promise<ApiResponse<Body | string>> {
    if (html === undefined || !wantsPage(request.method, request.header('accept'))) return response
    const { target, host, protocol } = request
    const origin = findOrigin(resolveOrigin, host, protocol)
    return toPage(html, response, { prefix, target, origin, routed })
  }
}

/**
 * Checks a request whose method has no handler. It is authenticated if its path may not exist for every identity.
 * @throws HiddenRouteError if it does not exist; HeaderError `method_not_allowed` (405) or `read_only` (403), unless it is OPTIONS
 */
async function checkOtherMethod(route: Route, request: HttpRequest): Promise<void> {
  const { method, header } = request
  if (route.checkVisible && !isPreflight(method, header(preflightField)))
    route.checkVisible(await request.authenticate())
  if (method !== 'OPTIONS') throw createMethodError(route, method)
}

/** The response to OPTIONS. */
function listMethods(route: Route): HttpResponse {
  const headers = { ...commonHeaders, allow: formatAllowedMethods(route) }
  return { status: 204, headers, body: undefined }
}

/** Authenticates a request. A browser without credentials may see the landing page, as nobody. */
async function authenticate(
  route: Route,
  request: HttpRequest,
  options: HttpOptions,
): Promise<Pick<RoutedRequest, 'auth' | 'challenge'>> {
  if (route.isPublic) return { auth: undefined, challenge: undefined }
  try {
    return { auth: await request.authenticate(), challenge: undefined }
  } catch (error) {
    const { method, header } = request
    const rejected = { method, accept: header('accept'), readHeader: header }
    const challenge = findPublicChallenge(error, rejected, isPublicPage(route, options))
    if (challenge === undefined) throw error
    return { auth: undefined, challenge }
  }
}

/** Starts a response. Of a stream the first chunk is read, so that its error is reported by an error document. */
async function startResponse(
  response: ApiResponse,
  request: HttpRequest,
  common: Readonly<Record<string, string>>,
): Promise<HttpResponse> {
  if (typeof response.body === 'string') return toHttpResponse(response, request, common)
  const { method, target: url, log } = request
  const chunks = await startStream(response.body, (error) =>
    logInternalError(error, { method, url, log }),
  )
  if (method === 'HEAD') await chunks.return()
  return toHttpResponse({ ...response, body: chunks }, request, common)
}

function checkRequestHead({ method, target, header, hasBody }: HttpRequest): void {
  checkHead({
    method,
    target,
    hasBody,
    accept: header('accept'),
    contentType: header('content-type'),
    contentEncoding: header('content-encoding'),
  })
}

function addHeaders(response: ApiResponse, { headers }: Route): ApiResponse {
  return headers ? { ...response, headers: { ...headers, ...response.headers } } : response
}

const noBytes = new Uint8Array()

function readFileRequest({ header }: HttpRequest): Parameters<FileResponder>[0] {
  return { acceptEncoding: header('accept-encoding'), ifNoneMatch: header('if-none-match') }
}

function toApiRequest(
  { target, requestId, ip, log, signal }: HttpRequest,
  parts: Pick<ApiRequest, 'id' | 'auth' | 'origin' | 'body'>,
): ApiRequest {
  return { ...parts, search: getQueryString(target), requestId, ip, log, signal }
}

/** Adds the common header fields; the response to HEAD has no body. */
function toHttpResponse(
  {
    status,
    headers,
    body,
  }: Readonly<{
    status: number
    headers?: Readonly<Record<string, string>>
    body: HttpResponse['body']
  }>,
  { method }: HttpRequest,
  common: Readonly<Record<string, string>>,
): HttpResponse {
  const isReady = typeof body === 'string' || body instanceof Uint8Array
  const length = isReady ? { 'content-length': String(Buffer.byteLength(body)) } : {}
  return {
    status,
    headers: {
      ...{ ...common, ...headers, ...length },
      ...(common['cache-control'] !== undefined && {
        'cache-control': choosePrivateCacheControl(undefined, headers?.['cache-control']),
      }),
    },
    body: method === 'HEAD' ? undefined : body,
  }
}
