import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HookHandlerDoneFunction,
} from 'fastify'
import { HeaderError } from '../errors/errors.ts'
import { type Method, type Route, routesOf } from '../handlers/endpoints.ts'
import type { Call, Endpoint, House } from '../handlers/handler.ts'
import { negotiate } from '../parse/negotiate.ts'
import { tellError } from './errors.ts'
import { originOf } from './origin.ts'
import { everyAnswer, send } from './response.ts'

/** The longest request target, in bytes; filters are sent in it. */
export const longestUrl = 32 * 1024

/** Gives a server every path of the model, each with all methods there are: those it has, OPTIONS, and 405 for the rest. */
export function addRoutes(app: FastifyInstance, house: House, options: CallOptions): void {
  for (const { path, methods, forbidden } of routesOf(house.model)) {
    // With a base path, the root is there with and without its final slash.
    const urls =
      path === '/' && house.base !== '' ? [house.base, `${house.base}/`] : [house.base + path]
    for (const url of urls) {
      addEndpoints(app, url, methods, house, options)
      addOthers(app, url, methods, forbidden)
    }
  }
}

function addEndpoints(
  app: FastifyInstance,
  url: string,
  methods: Route['methods'],
  house: House,
  { publicUrl, identify }: CallOptions,
): void {
  for (const [method, endpoint] of Object.entries(methods) as [Method, Endpoint][]) {
    app.route({
      url,
      method: method === 'GET' ? ['GET', 'HEAD'] : method,
      onRequest: checkHeaders,
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        try {
          const caller = identify && (await identify(request))
          const answer = await endpoint(callOf(request, reply, caller, publicUrl), house)
          // A text is on its way when `send` returns: there is nothing to wait for.
          const sending = send(reply, answer)
          return sending && (await sending)
        } catch (error) {
          return await tellError(error, request, reply)
        }
      },
    })
  }
}

function addOthers(
  app: FastifyInstance,
  url: string,
  methods: Route['methods'],
  forbidden: Route['forbidden'],
): void {
  const known = [...Object.keys(methods), ...('GET' in methods ? ['HEAD'] : []), 'OPTIONS']
  const allow = known.join(', ')
  const options = async (_request: FastifyRequest, reply: FastifyReply) => {
    return reply
      .code(204)
      .headers({ ...everyAnswer, allow })
      .send()
  }
  const refuse = async ({ method }: FastifyRequest) => {
    if (forbidden.some((each) => each === method))
      throw new HeaderError(
        'read_only',
        `What is at this path can be read, not written by ${method}.`,
      )
    throw new HeaderError('method_not_allowed', `${method} is not allowed here; ${allow} are.`, {
      allow,
    })
  }
  const refused = app.supportedMethods.filter((method) => !known.includes(method))
  app.route({ url, method: 'OPTIONS', onRequest: checkHeaders, handler: options })
  app.route({ url, method: refused, onRequest: refuse, handler: refuse })
}

/** Runs before the body is read. */
function checkHeaders(
  { raw, headers }: FastifyRequest,
  _reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  if (raw.url !== undefined && raw.url.length > longestUrl) {
    throw new HeaderError('url_too_long', `A URL may have at most ${longestUrl} bytes.`)
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

/** What a call takes from the server's options. */
export interface CallOptions {
  readonly publicUrl: string | undefined
  readonly identify: ((request: FastifyRequest) => unknown) | undefined
}

function callOf(
  { raw, params, body }: FastifyRequest,
  reply: FastifyReply,
  caller: unknown,
  publicUrl: string | undefined,
): Call {
  const { url = '' } = raw
  const mark = url.indexOf('?')
  return {
    // The router fills in what the path's pattern names, and `id` is all that any names.
    id: (params as { id?: string }).id ?? '',
    caller,
    search: mark === -1 ? '' : url.slice(mark + 1),
    body: body instanceof Uint8Array ? body : noBytes,
    origin: originOf(publicUrl, raw),
    signal: () => disconnectSignal(reply),
  }
}

/** A signal that aborts when the connection closes before the response is sent. */
function disconnectSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const abort = () => {
    if (!raw.writableEnded) controller.abort()
  }
  if (raw.destroyed) abort()
  else raw.once('close', abort)
  return controller.signal
}
