import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

// Lazy request loggers. Fastify creates a child logger for every request and listens for the end of every response, but
// few requests log anything. Without both, small responses (the benchmark row `one`) are 2 to 8 % faster: decision 0039.
// Invariant: `request.log`, `reply.log` and `server.log` behave as in Fastify, which `test/engine/plugins.test.ts` proves.

/**
 * Gives a server without a logger one, and each request a logger that creates its child logger on first use.
 * @returns a function that assigns the logger of a request and its reply; to be called first
 */
export function addRequestLogs(
  app: FastifyInstance,
  log: FastifyBaseLogger,
): (request: FastifyRequest, reply: FastifyReply) => void {
  const { log: fastifyDefault } = app
  app.log = log
  // Fastify creates the loggers of routes that have a log level or log serializers of their own.
  app.addHook('onRoute', (route) => {
    if (route.logLevel || route.logSerializers)
      route.childLoggerFactory ??= (_none, bindings, options) => log.child(bindings, options)
  })
  return (request, reply) => {
    if (request.log !== fastifyDefault) return
    request.log = new RequestLog(log, request.id)
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
