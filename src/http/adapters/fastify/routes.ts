import type { FastifyInstance, FastifySchema } from 'fastify'
import type { Route } from '../../../endpoints/route-table.ts'
import type { Mount } from './mount.ts'

/** Keeps a route out of the description that `@fastify/swagger` makes. The types of Fastify do not know the option. */
const hidden: FastifySchema & Readonly<{ hide: boolean }> = { hide: true }

/** `id` is the only parameter in the path patterns of the route table. */
interface Params {
  readonly Params: Readonly<{ id?: string }>
}

/**
 * Registers every path of the model for every method that Fastify's router knows. The pipeline decides everything else, so that plugins
 * such as `@fastify/rate-limit` see each request before it. The prefix of the paths is that of the plugin.
 */
export function registerRoutes(app: FastifyInstance, mount: Mount): void {
  for (const route of mount.routes)
    for (const method of Object.keys(route.methods))
      app.route<Params>({
        ...{ url: route.path, method, exposeHeadRoute: false },
        ...(route.target === undefined && { schema: hidden }),
        handler: (request, reply) => {
          mount.dispatch(request, reply, { route, id: request.params.id ?? '' })
        },
      })
  for (const [url, group] of Map.groupBy(mount.routes, ({ path }) => toPattern(path)))
    registerOtherMethods(app, url, group, mount)
}

/** The pattern of the paths below that of a resource, because each route of Fastify makes the start slower; of others the path itself. */
function toPattern(path: string): string {
  return path.replace(/^(\/[^/]+\/:id)\/.+/, '$1/*')
}

/**
 * Registers one route for all methods that one of several paths does not handle: HEAD, OPTIONS, and those that are rejected. Each further
 * route would make the start of Fastify slower, more than in proportion to their number.
 * @param url - the path, or the pattern of all paths
 */
function registerOtherMethods(
  app: FastifyInstance,
  url: string,
  [first, ...others]: readonly Route[],
  mount: Mount,
): void {
  if (first === undefined) return
  const all = [first, ...others]
  const isOne = others.length === 0
  app.route<Params>({
    ...{ url: isOne ? first.path : url, schema: hidden },
    method: app.supportedMethods.filter((name) => all.some(({ methods }) => !(name in methods))),
    handler: (request, reply) => {
      const { url: target = '' } = request.raw
      const match = isOne ? { route: first, id: request.params.id ?? '' } : mount.find(target)
      if (match) mount.dispatch(request, reply, match)
      else reply.callNotFound()
    },
  })
}
