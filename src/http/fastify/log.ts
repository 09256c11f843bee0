import fastify, { type FastifyBaseLogger } from 'fastify'
import { createTolerantDestination } from './log-destination.ts'

/**
 * Creates the logger of a server, as Fastify does for a server with the option `logger`: the package needs no logger of its
 * own. It writes lines of JSON to standard error. Lines that cannot be written are dropped and counted; the server goes on.
 * @param level - the lowest level that is logged: `trace` … `fatal`, or `silent`
 */
export function createLogger(level: string): FastifyBaseLogger {
  return fastify({ logger: { level, stream: createTolerantDestination(process.stderr) } }).log
}
