import fastify, { type FastifyBaseLogger } from 'fastify'
import { formatLogLine } from './format-log-line.ts'
import { createTolerantDestination } from './log-destination.ts'

/** The header fields with credentials. */
const secretFields = ['authorization', 'cookie', 'proxy-authorization', 'set-cookie', 'x-api-key']
/** Where hooks and routes may log header fields: `log.info({ headers })`, `log.info({ request: { headers } })`. */
const secretPaths = ['', 'req.', 'request.', 'res.', 'response.'].flatMap((parent) =>
  secretFields.map((name) => `${parent}headers["${name}"]`),
)

/**
 * Creates the logger of a server, as Fastify does for a server with the option `logger`: the package needs no logger of its
 * own. It writes to standard error: lines of JSON, or readable lines to a terminal. Lines that cannot be written are dropped
 * and counted; the server continues. Header fields with credentials are logged as `[Redacted]`.
 * @param level - the lowest level that is logged: `trace` … `fatal`, or `silent`
 */
export function createLogger(level: string): FastifyBaseLogger {
  const destination = createTolerantDestination(process.stderr)
  const stream = process.stderr.isTTY
    ? { write: (line: string) => destination.write(formatLogLine(line)) }
    : destination
  return fastify({ logger: { level, stream, redact: secretPaths } }).log
}
