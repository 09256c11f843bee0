import type { FastifyRequest } from 'fastify'

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
