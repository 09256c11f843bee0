import type { FastifyReply } from 'fastify'
import type { AppContext } from '../../handlers/app-context.ts'
import type { Route } from '../../handlers/route-table.ts'
import { createDisconnectSignal } from '../disconnect-signal.ts'
import { type RoutedRequest, toPage, wantsPage } from '../html.ts'
import type { HttpOptions } from '../options.ts'
import { createOriginResolver, findOrigin, getLocalHost } from '../origin.ts'
import type { ResponseSender } from './response.ts'
import { authKey, challengeKey } from './routes.ts'

/**
 * Creates the function that sends responses: as JSON, and with the option `html` to browsers as pages.
 * @param sendJson - sends a response as it is
 * @param context - absent if only errors are sent
 */
export function createResponseSender(
  options: Pick<HttpOptions, 'html' | 'prefix' | 'publicUrl'>,
  sendJson: ResponseSender,
  context?: AppContext,
): ResponseSender {
  const { html, prefix = '', publicUrl } = options
  if (html === undefined) return sendJson
  const resolveOrigin = createOriginResolver(publicUrl)
  return (reply, response, route) => {
    const { method, headers } = reply.request
    if (!wantsPage(method, headers.accept)) return sendJson(reply, response)
    const { raw, host, protocol } = reply.request
    const target = raw.url ?? '/'
    const origin = findOrigin(resolveOrigin, host || getLocalHost(raw), protocol)
    const routed = context && route && getRoutedRequest(reply, route, context)
    // The reply has the header fields of the route, and the page links what they link.
    const described = { ...response, headers: { ...route?.headers, ...response.headers } }
    return toPage(html, described, { prefix, target, origin, routed }).then((page) =>
      sendJson(reply, page),
    )
  }
}

/** Returns a request whose route has responded. */
function getRoutedRequest(
  { request, raw }: FastifyReply,
  route: Route,
  context: AppContext,
): RoutedRequest {
  // `id` is the only parameter in the path patterns of the route table.
  const { id = '' } = request.params as { id?: string }
  const auth: unknown = Reflect.get(request, authKey)
  const challenge: string | undefined = Reflect.get(request, challengeKey)
  const signal = () => createDisconnectSignal(raw)
  return { context, route, id, auth, challenge, signal }
}
