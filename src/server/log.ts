import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { type Bindings, type ChildLoggerOptions, type Logger, pino } from 'pino'

/**
 * Makes what is logged to standard error, as lines of JSON.
 * @param level - the least that is logged: `trace` … `fatal`, or `silent`
 */
export function makeLog(level: string): Logger {
  const serializers = {
    req: ({ method, url, host, ip, socket }: FastifyRequest) => {
      return { method, url, host, remoteAddress: ip, remotePort: socket.remotePort }
    },
    res: ({ statusCode }: FastifyReply) => ({ statusCode }),
  }
  return pino({ level, serializers }, process.stderr)
}

/**
 * The log of one request: a child of the service's that is made when something is logged, because few requests log
 * anything.
 */
export class RequestLog implements FastifyBaseLogger {
  readonly #make: () => Logger
  #made: Logger | undefined

  /**
   * @param log - the service's
   * @param bindings - what each line tells of the request
   */
  constructor(log: Logger, bindings: Bindings, options: ChildLoggerOptions) {
    this.#make = () => log.child(bindings, options)
  }

  get #own(): Logger {
    this.#made ??= this.#make()
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
