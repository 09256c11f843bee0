import fastify, { type FastifyInstance } from 'fastify'
import { addLog, makeLog } from '../../src/http/log.ts'
import { told } from './server.ts'
import type { Floor } from './tables.ts'

/**
 * The floor's answers to reads behind Fastify, as the service has it: what is left between this and the service is the
 * service's own.
 */
export function porchServer(floor: Floor): FastifyInstance {
  const app = fastify({ exposeHeadRoutes: false })
  const giveLog = addLog(app, makeLog('error'))
  app.addHook('onRequest', (request, reply, done) => {
    giveLog(request, reply)
    done()
  })
  for (const url of ['/persons', '/persons/:id', '/computers']) {
    app.get(url, async ({ raw }, reply) => {
      const text = await told(raw, floor)
      return reply
        .header('content-type', 'application/vnd.api+json')
        .header('vary', 'Accept')
        .serializer(String)
        .send(text)
    })
  }
  return app
}
