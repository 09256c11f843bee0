import fastify, { type FastifyInstance } from 'fastify'
import { createLogger } from '../../src/http/fastify/log.ts'
import { LazyLogController } from '../../src/http/fastify/request-log.ts'
import type { Baseline } from './baseline.ts'
import { read } from './server.ts'

/**
 * Creates the Fastify baseline: the reads of the baseline behind Fastify, configured as in the service. The rest of the
 * difference to the service is the service's own code.
 */
export function createFastifyServer(baseline: Baseline): FastifyInstance {
  const logController = new LazyLogController(createLogger('error'))
  const app = fastify({ exposeHeadRoutes: false, logController })
  logController.attachTo(app)
  for (const url of ['/persons', '/persons/:id', '/computers']) {
    app.get(url, async ({ raw }, reply) => {
      const text = await read(raw, baseline)
      return reply
        .header('content-type', 'application/vnd.api+json')
        .header('vary', 'Accept')
        .serializer(String)
        .send(text)
    })
  }
  return app
}
