import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HookHandlerDoneFunction,
} from 'fastify'
import { HeaderError } from '../../errors/errors.ts'
import type { AppContext } from '../../handlers/app-context.ts'
import type { ApiRequest, ApiResponse, Handler } from '../../handlers/handler.ts'
import { buildRouteTable, type Method, type Route } from '../../handlers/route-table.ts'

import { negotiate } from '../../parse/negotiate.ts'
import type { ErrorReporter } from '../errors.ts'
import type { OriginResolver } from '../origin.ts'
import { commonHeaders, sendResponse } from './response.ts'

/** The longest request target, in bytes. It holds the filters of a request. */
export const maxUrlLength = 32 * 1024

/** The dependencies of every route. */
interface RouteOptions {
  readonly context: AppContext
  readonly authenticate: ((request: FastifyRequest) => unknown) | undefined
  readonly resolveOrigin: OriginResolver
  readonly reportError: ErrorReporter
}

/** Registers every path of the model for every HTTP method: the handlers, OPTIONS, and an error for all others. */
export function registerRoutes(app: FastifyInstance, options: RouteOptions): void {
  const { planner, prefix } = options.context
  for (const route of buildRouteTable(planner)) {
    // With a prefix, the root has two URLs: with and without the final slash.
    const isPrefixedRoot = route.path === '/' && prefix !== ''
    for (const url of isPrefixedRoot ? [prefix, `${prefix}/`] : [prefix + route.path]) {
      registerHandlers(app, url, route, options)
      registerOtherMethods(app, url, route)
    }
  }
}

function registerHandlers(
  app: FastifyInstance,
  url: string,
  { methods }: Route,
  { context, authenticate, resolveOrigin, reportError }: RouteOptions,
): void {
  for (const [method, handle] of Object.entries(methods) as [Method, Handler][]) {
    app.route({
      url,
      method: method === 'GET' ? ['GET', 'HEAD'] : method,
      onRequest: checkHeaders,
      // Without `await`: a response that is ready is sent in the same turn, without a promise.
      handler: (request: FastifyRequest, reply: FastifyReply) => {
        const respond = (auth: unknown) =>
          handle(new FastifyApiRequest(request, reply, auth, resolveOrigin(request.raw)), context)
        try {
          const response = authenticate
            ? Promise.resolve(authenticate(request)).then(respond)
            : respond(undefined)
          return response instanceof Promise
            ? sendLater(response, reply).catch((error) => reportError(error, request, reply))
            : sendResponse(reply, response)
        } catch (error) {
          return reportError(error, request, reply)
        }
      },
    })
  }
}

async function sendLater(
  response: Promise<ApiResponse>,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  return sendResponse(reply, await response)
}

function registerOtherMethods(
  app: FastifyInstance,
  url: string,
  { methods, readOnlyMethods }: Route,
): void {
  const known = [...Object.keys(methods), ...('GET' in methods ? ['HEAD'] : []), 'OPTIONS']
  const allow = known.join(', ')
  const sendAllowedMethods = async (_request: FastifyRequest, reply: FastifyReply) => {
    return reply
      .code(204)
      .headers({ ...commonHeaders, allow })
      .send()
  }
  const rejectMethod = async ({ method }: FastifyRequest) => {
    if (readOnlyMethods.some((each) => each === method))
      throw new HeaderError('read_only', `${method} is not allowed: this resource is read-only.`)
    const detail = `${method} is not allowed at this path; allowed are ${allow}.`
    throw new HeaderError('method_not_allowed', detail, { allow })
  }
  const rejected = app.supportedMethods.filter((method) => !known.includes(method))
  app.route({ url, method: 'OPTIONS', onRequest: checkHeaders, handler: sendAllowedMethods })
  app.route({ url, method: rejected, onRequest: rejectMethod, handler: rejectMethod })
}

/** Runs before the body is read. */
function checkHeaders(
  { raw, headers }: FastifyRequest,
  _reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  if (raw.url !== undefined && raw.url.length > maxUrlLength) {
    throw new HeaderError('url_too_long', `A URL may have at most ${maxUrlLength} bytes.`)
  }
  negotiate({
    accept: headers.accept,
    contentType: headers['content-type'],
    contentEncoding: headers['content-encoding'],
    hasBody:
      headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0,
  })
  done()
}

const noBytes = new Uint8Array()

/** The parts of a Fastify request that handlers use. Getters read what few requests need. */
class FastifyApiRequest implements ApiRequest {
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  readonly auth: unknown
  readonly origin: string

  constructor(request: FastifyRequest, reply: FastifyReply, auth: unknown, origin: string) {
    this.#request = request
    this.#reply = reply
    this.auth = auth
    this.origin = origin
  }

  get id(): string {
    // `id` is the only parameter in the path patterns of the route table.
    return (this.#request.params as { id?: string }).id ?? ''
  }

  get search(): string {
    const { url = '' } = this.#request.raw
    const mark = url.indexOf('?')
    return mark === -1 ? '' : url.slice(mark + 1)
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

  readonly signal = (): AbortSignal => createDisconnectSignal(this.#reply)
}

/** Returns a signal that aborts when the connection closes before the response is sent. */
function createDisconnectSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const abort = () => {
    if (!raw.writableEnded) controller.abort()
  }
  if (raw.destroyed) abort()
  else raw.once('close', abort)
  return controller.signal
}
