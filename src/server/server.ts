import { METHODS } from 'node:http'
import type { Socket } from 'node:net'
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { defineDocuments } from '../document/document.ts'
import { type ErrorAnswer, errorAnswer } from '../document/errors.ts'
import type { Endpoint, House } from '../endpoints/endpoint.ts'
import { type Method, type Route, routesOf } from '../endpoints/table.ts'
import { HeaderError, quoted } from '../errors/errors.ts'
import { mediaType, negotiate } from '../request/negotiate.ts'
import { everyAnswer, send } from './answer.ts'
import { protocolFault, tellError } from './faults.ts'
import { originOf } from './origin.ts'

/** What a server is made of. */
export interface ServerOptions extends Pick<House, 'model' | 'store'> {
  /** In front of every path, e.g. `/api`. Default: none. */
  readonly basePath?: string
  /** Scheme and host of absolute links, e.g. `https://api.example.org`. Default: the request's own. */
  readonly publicUrl?: string | undefined
  /** What the root document says of the service, e.g. a description and a version. */
  readonly about?: House['about']
  /** The least that is logged, to standard error: `trace` … `fatal`, or `silent`. Default `info`. */
  readonly logLevel?: string
  /** The largest body, in bytes. Default 1 MiB. */
  readonly maxBody?: number
}

/** The longest request target, in bytes; filters are sent in it. */
const longestUrl = 32 * 1024
/** Request line and header fields together, in bytes. */
const longestHead = 64 * 1024
/** How long a request may take to arrive, in milliseconds. */
const arrival = 60_000

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
    // Nobody but our own reader reads the query; an absolute-form target is as good as its path (RFC 9112 §3.2.2).
    routerOptions: { querystringParser: () => ({}), maxParamLength: longestUrl },
    rewriteUrl: ({ url = '/' }) => url.replace(/^https?:\/\/[^/?#]*(?=\/)/i, ''),
    clientErrorHandler: (error, socket) => tellOnSocket(socket, protocolFault(error.code)),
    exposeHeadRoutes: false,
    frameworkErrors: (error, request, reply) => void tellError(error, request, reply),
    http: { maxHeaderSize: longestHead, requireHostHeader: false, insecureHTTPParser: false },
    logController: new LogController({ disableRequestLogging: true }),
    logger: { level: logLevel, stream: process.stderr },
    requestTimeout: arrival,
    return503OnClosing: false,
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler(tellError)
  app.setNotFoundHandler((request, reply) => tellError(nothingAt(request), request, reply))
  // Told before the body is looked at.
  app.addHook('onRequest', (request, _reply, done) =>
    done(request.is404 ? nothingAt(request) : undefined),
  )
  app.server.on('checkExpectation', (request, response) => {
    const fault = new HeaderError(
      'expectation_failed',
      `The expectation ${quoted(request.headers.expect)} is not met.`,
    )
    const answer = errorAnswer(fault)
    response.writeHead(417, { ...everyAnswer, 'content-type': mediaType }).end(answer?.body)
  })
  addMethods(app)
  for (const route of routesOf(model)) addRoute(app, route, house, options.publicUrl)
  return app
}

/** Teaches the router the methods it does not know, so that they get their 405 and not a 404. */
function addMethods(app: FastifyInstance): void {
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method) && method !== 'CONNECT')
      app.addHttpMethod(method, { hasBody: true })
  }
}

function addRoute(
  app: FastifyInstance,
  { path, methods }: Route,
  house: House,
  publicUrl: string | undefined,
): void {
  // With a base path, the root is there with and without its final slash.
  const urls =
    path === '/' && house.base !== '' ? [house.base, `${house.base}/`] : [house.base + path]
  const allow = [...Object.keys(methods), ...('GET' in methods ? ['HEAD'] : []), 'OPTIONS'].join(
    ', ',
  )
  for (const url of urls) {
    for (const [method, endpoint] of Object.entries(methods) as [Method, Endpoint][]) {
      const handler = async (request: FastifyRequest, reply: FastifyReply) => {
        try {
          return await send(reply, await endpoint(callOf(request, publicUrl), house))
        } catch (error) {
          return await tellError(error, request, reply)
        }
      }
      app.route({
        url,
        method: method === 'GET' ? ['GET', 'HEAD'] : method,
        onRequest: checkHeaders,
        handler,
      })
    }
    const options = async (_request: FastifyRequest, reply: FastifyReply) => {
      return reply
        .code(204)
        .headers({ ...everyAnswer, allow })
        .send()
    }
    app.route({ url, method: 'OPTIONS', onRequest: checkHeaders, handler: options })
    const known = new Set([...Object.keys(methods), 'HEAD', 'OPTIONS'])
    const refused = app.supportedMethods.filter((method) => !known.has(method))
    const refuse = async (request: FastifyRequest) => {
      throw new HeaderError(
        'method_not_allowed',
        `${request.method} is not allowed here; ${allow} are.`,
        { allow },
      )
    }
    app.route({ url, method: refused, onRequest: refuse, handler: refuse })
  }
}

/** Runs before the body is read. */
async function checkHeaders({ raw, headers }: FastifyRequest): Promise<void> {
  if (raw.url !== undefined && raw.url.length > longestUrl) {
    throw new HeaderError('url_too_long', `A URL may have at most ${longestUrl} bytes.`)
  }
  const hasBody =
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  negotiate({
    accept: headers.accept,
    contentType: headers['content-type'],
    contentEncoding: headers['content-encoding'],
    hasBody,
  })
}

const noBytes = new Uint8Array()

function callOf(request: FastifyRequest, publicUrl: string | undefined) {
  const { raw, headers, params, body } = request
  const url = raw.url ?? ''
  const mark = url.indexOf('?')
  const { localAddress, localPort } = raw.socket
  return {
    id: (params as { id?: string }).id ?? '',
    search: mark === -1 ? '' : url.slice(mark + 1),
    body: body instanceof Uint8Array ? body : noBytes,
    origin: originOf(publicUrl, {
      host: headers.host,
      httpVersion: raw.httpVersion,
      localAddress,
      localPort,
    }),
  }
}

function nothingAt(request: FastifyRequest): HeaderError {
  const [path = ''] = request.url.split('?', 1)
  return new HeaderError(
    'route_not_found',
    `There is nothing at ${quoted(path)}; the root document tells what there is.`,
  )
}

/** Answers where there is no request to answer: bytes that are no HTTP. */
function tellOnSocket(socket: Socket, { status, body }: ErrorAnswer): void {
  if (!socket.writable) return void socket.destroy()
  const head = [
    `HTTP/1.1 ${status} Refused`,
    `content-type: ${mediaType}`,
    `vary: ${everyAnswer.vary}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
