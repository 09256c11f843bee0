import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Logger, pino } from 'pino'
import { createTolerantDestination } from './log-destination.ts'

/**
 * Creates the logger of a server. It writes lines of JSON to standard error. Lines that cannot be written are dropped and
 * counted; the server goes on.
 * @param level - the lowest level that is logged: `trace` … `fatal`, or `silent`
 */
export function createLogger(level: string): Logger {
  const serializers = {
    req: ({ method, url, host, ip, socket }: FastifyRequest) => {
      return { method, url, host, remoteAddress: ip, remotePort: socket.remotePort }
    },
    res: ({ statusCode }: FastifyReply) => ({ statusCode }),
  }
  return pino({ level, serializers }, createTolerantDestination(process.stderr))
}
