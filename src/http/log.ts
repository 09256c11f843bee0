import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Bindings, type ChildLoggerOptions, type Logger, pino } from 'pino'
import { tolerantDestination } from './log-destination.ts'

/**
 * Makes what is logged to standard error, as lines of JSON. A standard error that cannot be written to costs lines, nothing
 * else.
 * @param level - the least that is logged: `trace` … `fatal`, or `silent`
 */
export function makeLog(level: string): Logger {
  const serializers = {
    req: ({ method, url, host, ip, socket }: FastifyRequest) => {
      return { method, url, host, remoteAddress: ip, remotePort: socket.remotePort }
    },
    res: ({ statusCode }: FastifyReply) => ({ statusCode }),
  }
  return pino({ level, serializers }, tolerantDestination(process.stderr))
}

/**
 * Makes a log that of a server which has none (decision 0039). Whoever gives Fastify a logger has it watch the end of every
 * answer, though requests are not logged; and it examines whatever else it is told to make for a request.
 * @returns what gives a request and its reply theirs, to be called first
 */
export function addLog(
  app: FastifyInstance,
  log: Logger,
): (request: FastifyRequest, reply: FastifyReply) => void {
  const { log: none } = app
  app.log = log
  // Where a route has a level or serializers of its own, Fastify knows them and we do not.
  app.addHook('onRoute', (route) => {
    if (route.logLevel || route.logSerializers)
      route.childLoggerFactory ??= (_none, bindings, options) => log.child(bindings, options)
  })
  return (request, reply) => {
    if (request.log !== none) return
    request.log = new RequestLog(log, request.id)
    reply.log = request.log
  }
}

/**
 * The log of one request: a child of the service's that is made when something is logged, because few requests log
 * anything.
 */
class RequestLog implements FastifyBaseLogger {
  readonly #log: Logger
  readonly #id: string
  #made: Logger | undefined

  /**
   * @param log - the service's
   * @param id - by which each line tells of the request
   */
  constructor(log: Logger, id: string) {
    this.#log = log
    this.#id = id
  }

  get #own(): Logger {
    this.#made ??= this.#log.child({ reqId: this.#id })
    return this.#made
  }

  get level(): string {
    return this.#own.level
  }

  set level(level: string) {
    this.#own.level = level
  }

  child(bindings: Bindings, options?: ChildLoggerOptions): FastifyBaseLogger {
    return this.#own.child(bindings, options)
  }

  fatal(...said: unknown[]): void {
    this.#say('fatal', said)
  }

  error(...said: unknown[]): void {
    this.#say('error', said)
  }

  warn(...said: unknown[]): void {
    this.#say('warn', said)
  }

  info(...said: unknown[]): void {
    this.#say('info', said)
  }

  debug(...said: unknown[]): void {
    this.#say('debug', said)
  }

  trace(...said: unknown[]): void {
    this.#say('trace', said)
  }

  silent(): void {}

  #say(level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace', said: unknown[]): void {
    Reflect.apply(this.#own[level], this.#own, said)
  }
}

/**
 * Logs a fault of ours whole: message, stack and cause.
 * @returns the id by which it is told and found
 */
export function logFailure(error: unknown, { log, method, url }: FastifyRequest): string {
  const id = crypto.randomUUID()
  const err =
    error instanceof Error ? error : new Error(`Thrown, though it is no error: ${String(error)}`)
  log.error({ err, id, method, url }, 'a request failed')
  return id
}
