import fastify, { type FastifyInstance, LogController } from 'fastify'
import { createLoggerOptions } from '../../src/http/adapters/fastify/log.ts'
import type { Baseline } from './baseline.ts'
import { read } from './server.ts'

/**
 * Creates the Fastify baseline: the reads of the baseline behind Fastify, configured as in the service. The rest of the
 * difference to the service is the service's own code.
 */
export function createFastifyServer(baseline: Baseline): FastifyInstance {
  const logController = new LogController({ disableRequestLogging: true })
  const logger = createLoggerOptions('error')
  const app = fastify({ exposeHeadRoutes: false, logController, logger })
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
