import type { Socket } from 'node:net'
import fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import { defineDocuments } from '../document/document.ts'
import { type ErrorAnswer, errorAnswer } from '../document/errors.ts'
import type { House } from '../endpoints/endpoint.ts'
import { HeaderError, quoted } from '../errors/errors.ts'
import { mediaType } from '../request/negotiate.ts'
import { everyAnswer } from './answer.ts'
import { addDrain } from './drain.ts'
import { protocolFault, tellError } from './faults.ts'
import { addLog, makeLog } from './log.ts'
import { addRoutes, longestUrl } from './routes.ts'

/** What a server is made of. */
export interface ServerOptions extends Pick<House, 'model' | 'store'> {
  /** In front of every path, e.g. `/api`. Default: none. */
  readonly basePath?: string
  /** Scheme and host of absolute links, e.g. `https://api.example.org`. Default: the request's own. */
  readonly publicUrl?: string | undefined
  /**
   * Says who asks, for hooks to see; it may throw a `Refusal`. Runs once for each request that reaches an endpoint.
   */
  readonly identify?: (request: FastifyRequest) => unknown
  /** What the root document says of the service, e.g. a description and a version. */
  readonly about?: House['about']
  /** The least that is logged, to standard error: `trace` … `fatal`, or `silent`. Default `info`. */
  readonly logLevel?: string
  /** The largest body, in bytes. Default 1 MiB. */
  readonly maxBody?: number
}

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
    // Nobody but our own reader reads the query.
    routerOptions: { querystringParser: () => ({}), maxParamLength: longestUrl },
    clientErrorHandler: (error, socket) => tellOnSocket(socket, protocolFault(error.code)),
    exposeHeadRoutes: false,
    frameworkErrors: (error, request, reply) => {
      giveLog(request, reply)
      void tellError(error, request, reply)
    },
    http: { maxHeaderSize: longestHead, requireHostHeader: false, insecureHTTPParser: false },
    logController: new LogController({ disableRequestLogging: true }),
    requestTimeout: arrival,
    return503OnClosing: false,
  })
  const giveLog = addLog(app, makeLog(logLevel))
  app.removeAllContentTypeParsers()
  // What a regular expression has found is remembered, so that the header is not read again; and a plugin may have a
  // parser of its own for what it names.
  for (const type of [/^application\/vnd\.api\+json$/, '*'])
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    )
  app.setErrorHandler(tellError)
  app.setNotFoundHandler((request, reply) => tellError(nothingAt(request), request, reply))
  // Told before the body is looked at.
  app.addHook('onRequest', (request, reply, done) => {
    giveLog(request, reply)
    done(request.is404 ? nothingAt(request) : undefined)
  })
  app.server.on('checkExpectation', ({ headers: { expect } }, response) => {
    const fault = new HeaderError(
      'expectation_failed',
      `The expectation ${quoted(expect)} is not met.`,
    )
    const headers = { ...everyAnswer, 'content-type': mediaType }
    response.writeHead(fault.status, headers).end(errorAnswer(fault)?.body)
  })
  addDrain(app)
  addMethods(app)
  addRoutes(app, house, { publicUrl: options.publicUrl, identify: options.identify })
  return app
}

/** Teaches the router the methods it does not know, so that they get their 405 and not a 404. */
function addMethods(app: FastifyInstance): void {
  // An import would load whatever that module offers, which Node does not do before it is used: a tenth of a start.
  const { METHODS } = process.getBuiltinModule('node:http')
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method) && method !== 'CONNECT')
      app.addHttpMethod(method, { hasBody: true })
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
