import type { ServerResponse } from 'node:http'
import { hostname } from 'node:os'
import type { Writable } from 'node:stream'
import type { FastifyInstance, FastifyLoggerOptions } from 'fastify'
import { isObject } from '../../../model/kinds/json.ts'

/** The header fields with credentials. */
const secretFields = ['authorization', 'cookie', 'proxy-authorization', 'set-cookie', 'x-api-key']
/** Where hooks and routes may log header fields: `log.info({ headers })`, `log.info({ request: { headers } })`. */
const secretPaths = ['', 'req.', 'request.', 'res.', 'response.'].flatMap((parent) =>
  secretFields.map((name) => `${parent}headers["${name}"]`),
)

/**
 * Returns the option `logger` of a server without one of its own. The logger writes to standard error: lines of JSON, or readable
 * lines to a terminal. Lines that cannot be written are dropped and counted; the server continues. Header fields with credentials are
 * logged as `[Redacted]`.
 * @param level - the lowest level that is logged: `trace` … `fatal`, or `silent`
 */
export function createLoggerOptions(level: string): LoggerOptions {
  const destination = createTolerantDestination(process.stderr)
  const stream = process.stderr.isTTY
    ? { write: (line: string) => destination.write(formatLogLine(line)) }
    : destination
  return { level, stream, redact: secretPaths }
}

/** The options of Pino that the types of Fastify leave out. */
type LoggerOptions = FastifyLoggerOptions & Readonly<{ redact: string[] }>

/** The names of Pino's levels (https://getpino.io/#/docs/api?id=logger-level). */
const levelNames: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
}

/** Fields that every line has, and that say nothing in a terminal. */
const hidden = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'err'])

/**
 * Formats a line of Pino for a terminal: time, level, message, other fields; then the stack of an error.
 *
 * @param line - JSON, with or without its line feed
 * @returns text with a line feed, without control characters from the fields; the line itself when it is not Pino's
 */
export function formatLogLine(line: string): string {
  const entry = parseEntry(line)
  if (entry === undefined) return line
  const { level, time, msg, err } = entry
  const clock = new Date(Number(time)).toISOString().slice(11, 23)
  const name = (levelNames[Number(level)] ?? String(level)).padEnd(5)
  const stack = isObject(err) ? `\n${escapeControls(String(err.stack ?? err.message))}` : ''
  return `${clock} ${name} ${escapeControls(describe(entry, String(msg ?? '')))}${stack}\n`
}

function parseEntry(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const entry: unknown = JSON.parse(line)
    return isObject(entry) && typeof entry.time === 'number' ? entry : undefined
  } catch {
    return undefined
  }
}

/** A line of the access log reads like a request; any other is its message and its fields. */
function describe(entry: Readonly<Record<string, unknown>>, message: string): string {
  const { method, route, status, ms, bytes, reqId } = entry
  if (message === 'request' && status !== undefined) {
    const size = bytes === undefined ? '' : ` ${bytes} B`
    return `${method} ${route ?? '(no route)'} ${status} ${ms} ms${size} ${reqId}`
  }
  const fields = Object.entries(entry).filter(([name]) => !hidden.has(name))
  return [message, ...fields.map(([name, value]) => `${name}=${JSON.stringify(value)}`)].join(' ')
}

/** Keeps a client from sending control sequences to the terminal; tabs and line feeds of a stack remain. */
function escapeControls(text: string): string {
  return text.replace(/[^\P{Cc}\t\n]/gu, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
}

/** The most characters in the buffer of the stream. Lines beyond it are dropped. */
const maxBuffered = 1024 * 1024

/** A destination of log lines, as Pino calls it. */
interface LogDestination {
  /** Writes complete lines, each with its line feed. */
  write(lines: string): void
}

/**
 * Creates a log destination for a stream that may be slow, full or closed: it never throws, never waits, and buffers at
 * most 1 MiB. It drops and counts the lines that it cannot write. Before the next line it writes how many are missing.
 * The process writes the buffered lines before it exits by itself.
 *
 * @param stream - e.g. standard error; its errors no longer end the process
 */
export function createTolerantDestination(stream: Writable): LogDestination {
  let dropped = 0
  let hasFailed = false
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore)
  return { write }

  function write(lines: string): void {
    if (stream.writableLength + lines.length > maxBuffered) {
      dropped += 1
      return
    }
    const missing = dropped
    const written = lines === '' ? 0 : 1
    const text = missing === 0 ? lines : formatDropReport(missing, hasFailed) + lines
    dropped = 0
    try {
      stream.write(text, (error) => finishWrite(missing + written, error))
    } catch {
      dropped += missing + written
    }
  }

  function finishWrite(lines: number, error: Error | null | undefined): void {
    hasFailed = error instanceof Error
    if (hasFailed) dropped += lines
    else if (dropped > 0 && stream.writableLength === 0) write('')
  }
}

const ignore = (): void => {}

/** Formats a line that reports dropped lines. After a failure, a full disk may hold the beginning of a line: it ends here. */
function formatDropReport(dropped: number, hasFailed: boolean): string {
  const line = {
    level: 40,
    time: Date.now(),
    pid: process.pid,
    hostname: hostname(),
    dropped,
    msg: 'log lines were dropped, because they could not be written',
  }
  return `${hasFailed ? '\n' : ''}${JSON.stringify(line)}\n`
}

/** The property of a streamed response with the number of bytes that were written to its body. */
const streamedBytes = Symbol('streamedBytes')

/** Counts the bytes of a streamed body for the access log. Call it before the first one is written. */
export function countStreamedBytes(response: ServerResponse): void {
  const write = response.write.bind(response)
  const counted = Object.assign(response, { [streamedBytes]: 0 })
  response.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    counted[streamedBytes] += Buffer.byteLength(chunk)
    return Reflect.apply(write, undefined, [chunk, ...rest])
  }
}

/**
 * Adds one log line at level `info` for each request, written when its response is sent or its connection closes: method,
 * route, status, milliseconds, bytes of the body and request id. The route is the pattern of the path, because paths and
 * query strings may contain personal data. Does nothing when the level is not logged.
 */
export function addAccessLog(app: FastifyInstance): void {
  const { log } = app
  if (!isInfoLogged(log.level)) return
  app.addHook('onResponse', (request, reply, done) => {
    const { method, id: reqId, routeOptions } = request
    if (Reflect.get(routeOptions.config, 'skipsAccessLog') === true) return done()
    const { statusCode: status, elapsedTime, raw } = reply
    const bytes = Reflect.get(raw, streamedBytes) ?? Number(reply.getHeader('content-length'))
    log.info(
      {
        reqId,
        method,
        route: routeOptions.url ?? null,
        status,
        ms: Math.round(elapsedTime * 10) / 10,
        ...(Number.isNaN(bytes) ? {} : { bytes }),
        ...(raw.writableFinished ? {} : { aborted: true }),
      },
      'request',
    )
    done()
  })
}

function isInfoLogged(level: string): boolean {
  return level === 'trace' || level === 'debug' || level === 'info'
}
