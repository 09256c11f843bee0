import type { FastifyInstance } from 'fastify'

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
    const length = Number(reply.getHeader('content-length'))
    log.info(
      {
        reqId,
        method,
        route: routeOptions.url ?? null,
        status,
        ms: Math.round(elapsedTime * 10) / 10,
        ...(Number.isNaN(length) ? {} : { bytes: length }),
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
