import { setImmediate as nextIteration, setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { AppOptions } from '../../../endpoints/app-context.ts'
import { DeclarationError } from '../../../model/check/declaration-error.ts'

/** How long the database may take to show that it is ready, in milliseconds. */
const readyTimeout = 2000

/** The options of the health routes. */
interface HealthOptions extends Pick<AppOptions, 'model' | 'store' | 'prefix'> {
  /** Milliseconds between the end of readiness and the end of the server. */
  readonly shutdownDelay?: number
}

/**
 * Adds `GET /health/live`, which responds 200 as long as the process can, and `GET /health/ready`, which responds 200 when the
 * database can be reached and its migrations have run, and 503 otherwise and once the server closes. They need no
 * authentication and are not in the access log. Their JSON is not a JSON:API document.
 *
 * @throws DeclarationError when a resource type has the path `/health`
 */
export function addHealthRoutes(app: FastifyInstance, options: HealthOptions): void {
  const { model, store, prefix = '', shutdownDelay = 0 } = options
  const taken = [...model.types.values()].find(({ path }) => `${prefix}${path}` === '/health')
  if (taken)
    throw new DeclarationError([
      `createServer.health: the resource type "${taken.type}" has the path /health; pass a prefix, or health: false`,
    ])
  const checkReady = shareCalls(() => withTimeout(store.checkReady()))
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
    await pause(shutdownDelay)
  })
  app.get('/health/live', healthRoute, async (_request, reply) => respond(reply, 200, 'live'))
  app.get('/health/ready', healthRoute, async ({ log }, reply) => {
    if (isClosing) return respond(reply, 503, 'closing')
    try {
      await checkReady()
      return respond(reply, 200, 'ready')
    } catch (error) {
      log.warn({ err: error }, 'the database is not ready')
      return respond(reply, 503, 'unavailable')
    }
  })
}

/** The settings of the health routes. */
const healthRoute = { config: { skipsAccessLog: true } }

function respond(reply: FastifyReply, code: number, status: string): FastifyReply {
  return reply.code(code).header('cache-control', 'no-store').send({ status })
}

/** Shares one check among the requests that arrive in the same iteration of the event loop: nobody authenticates them. */
function shareCalls(check: () => Promise<void>): () => Promise<void> {
  let next: Promise<void> | undefined
  return () => {
    next ??= nextIteration().then(() => {
      next = undefined
      return check()
    })
    return next
  }
}

async function withTimeout(work: Promise<void>): Promise<void> {
  const timer = new AbortController()
  const timeout = pause(readyTimeout, undefined, { signal: timer.signal, ref: false }).then(() => {
    throw new Error(`The database did not respond within ${readyTimeout} ms.`)
  })
  try {
    await Promise.race([work, timeout])
  } finally {
    timeout.catch(() => {})
    timer.abort()
  }
}
