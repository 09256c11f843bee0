import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

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
