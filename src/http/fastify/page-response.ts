import type { FastifyReply } from 'fastify'
import type { Route } from '../../handlers/route-table.ts'
import { type PageRequest, toPage, wantsPage } from '../html.ts'
import type { HttpOptions } from '../options.ts'
import { createOriginResolver, findOrigin, getLocalHost } from '../origin.ts'
import { type ResponseSender, sendResponse } from './response.ts'
import { authKey } from './routes.ts'

/** Creates the function that sends responses: as JSON, and with the option `html` to browsers as pages. */
export function createResponseSender(options: HttpOptions): ResponseSender {
  const { html, model, prefix = '', publicUrl } = options
  if (html === undefined) return sendResponse
  const resolveOrigin = createOriginResolver(publicUrl)
  return (reply, response, route) => {
    const { raw, method, host, protocol, headers } = reply.request
    if (!wantsPage(method, headers.accept)) return sendResponse(reply, response)
    const target = raw.url ?? '/'
    const origin = findOrigin(resolveOrigin, host || getLocalHost(raw), protocol)
    const page = { model, prefix, target, origin, ...readRoute(reply, route) }
    return toPage(html, response, page).then((shown) => sendResponse(reply, shown))
  }
}

/** Reads the parts of a request that are known when its route has responded. */
function readRoute(
  { request }: FastifyReply,
  route: Route | undefined,
): Pick<PageRequest, 'route' | 'id' | 'auth'> {
  if (route === undefined) return { route, id: '', auth: undefined }
  // `id` is the only parameter in the path patterns of the route table.
  const { id = '' } = request.params as { id?: string }
  return { route, id, auth: Reflect.get(request, authKey) }
}
