import type { FastifyLoggerOptions } from 'fastify'
import { formatLogLine } from './format-log-line.ts'
import { createTolerantDestination } from './log-destination.ts'

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
