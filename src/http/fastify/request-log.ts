import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'

// Lazy request loggers. Fastify creates a child logger for every request and listens for the end of every response, but
// few requests log anything. Without both, small responses (the benchmark row `one`) are 2 to 8 % faster.
// A `childLoggerFactory` does not help: Fastify looks up fourteen methods of its result by name for each request.
// Invariant: `request.log`, `reply.log` and `server.log` behave as in Fastify, which `test/engine/plugins.test.ts` proves.

/** The log controller of a server without the option `logger`: it gives each request a logger that creates its child logger on first use. */
export class LazyLogController extends LogController {
  readonly #log: FastifyBaseLogger
  /** The logger that Fastify gives requests; `undefined` before `attachTo`. */
  #fastifyDefault: FastifyBaseLogger | undefined

  constructor(log: FastifyBaseLogger) {
    super({ disableRequestLogging: true })
    this.#log = log
  }

  /** Gives a server that was created with this controller its logger; to be called first. */
  attachTo(app: FastifyInstance): void {
    const log = this.#log
    this.#fastifyDefault = app.log
    app.log = log
    // Fastify creates the loggers of routes that have a log level or log serializers of their own.
    app.addHook('onRoute', (route) => {
      if (route.logLevel || route.logSerializers)
        route.childLoggerFactory ??= (_none, bindings, options) => log.child(bindings, options)
    })
  }

  /** Assigns the logger of a request and its reply. Fastify calls this for every request, before any hook. */
  override incomingRequest(request: FastifyRequest, reply: FastifyReply): void {
    if (request.log !== this.#fastifyDefault) return
    request.log = new RequestLog(this.#log, request.id)
    reply.log = request.log
  }
}

/** The logger of one request: a child of the server's logger, created on first use. */
class RequestLog implements FastifyBaseLogger {
  readonly #parent: FastifyBaseLogger
  readonly #requestId: string
  #child: FastifyBaseLogger | undefined

  constructor(parent: FastifyBaseLogger, requestId: string) {
    this.#parent = parent
    this.#requestId = requestId
  }

  get #log(): FastifyBaseLogger {
    this.#child ??= this.#parent.child({ reqId: this.#requestId })
    return this.#child
  }

  get level(): string {
    return this.#log.level
  }

  set level(level: string) {
    this.#log.level = level
  }

  child(...args: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.#log.child(...args)
  }

  fatal(...args: unknown[]): void {
    this.#write('fatal', args)
  }

  error(...args: unknown[]): void {
    this.#write('error', args)
  }

  warn(...args: unknown[]): void {
    this.#write('warn', args)
  }

  info(...args: unknown[]): void {
    this.#write('info', args)
  }

  debug(...args: unknown[]): void {
    this.#write('debug', args)
  }

  trace(...args: unknown[]): void {
    this.#write('trace', args)
  }

  silent(): void {}

  #write(level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace', args: unknown[]): void {
    Reflect.apply(this.#log[level], this.#log, args)
  }
}
