import { isObject } from '../kinds/json.ts'

/** A logger with the levels of Pino. Each method takes a message, or an object with fields and then a message. */
export interface Logger {
  readonly trace: LogFunction
  readonly debug: LogFunction
  readonly info: LogFunction
  readonly warn: LogFunction
  readonly error: LogFunction
  readonly fatal: LogFunction
}

/** The levels of a logger. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

/** Whether a value is a logger. */
export function isLogger(value: unknown): value is Logger {
  return isObject(value) && logLevels.every((level) => typeof value[level] === 'function')
}

/** Writes a log line. */
interface LogFunction {
  (message: string): void
  (fields: object, message?: string): void
}

/** The context of a request, or of a call in process. Hooks receive it with the transaction. */
export interface RequestContext {
  /** The auth context: the value that `authenticate` returned; `undefined` without `authenticate`. */
  readonly auth: unknown
  /** The id of the request in the log; `undefined` for a call in process that has none. */
  readonly requestId: string | undefined
  /** The address of the client; `undefined` for a call in process, and where the host does not know it. */
  readonly ip: string | undefined
  /** The logger of the request. */
  readonly log: Logger
  /** Returns a signal that aborts when the client disconnects before the response is sent; created on the first call. */
  readonly signal: () => AbortSignal
  /** Whether what is written will be rolled back. Default false. */
  readonly dryRun?: boolean
}
