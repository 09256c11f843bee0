import { type AppContext, type AppOptions, createAppContext } from '../endpoints/app-context.ts'
import { type ApiRequest, silentLogger } from '../endpoints/handler.ts'
import { listRoutes } from '../endpoints/protected-routes.ts'
import type { RoutePlanner } from '../endpoints/route-table.ts'
import { getQueryString } from '../http/headers.ts'
import { createMethodError } from '../http/methods.ts'
import { createRouter } from '../http/router.ts'
import { bindHooks } from '../lifecycle/read.ts'
import type { ReadExplanation } from '../sql/read/explain.ts'

/** The request that is explained. */
export interface ExplainedRequest {
  /** The auth context: what `authenticate` would return. */
  readonly auth?: unknown
  readonly signal?: AbortSignal | undefined
  /** True to run `begin` and the hooks before the read in its transaction, as the request does. Default false. */
  readonly hooks?: boolean
}

/**
 * Explains the read of a GET request: runs its statements and returns their SQL, query plans and durations, with warnings such as a
 * filter without an index, and the SQL that creates it.
 *
 * @param options - the model, the store, and the prefix of the paths
 * @param url - the URL or path of the request, e.g. `/persons?filter[name]=Ada`
 * @throws the errors of the request: ApiError, ManyErrors
 * @returns an explanation without statements for the root document
 */
export async function explainRead(
  options: AppOptions,
  url: string,
  { auth, signal, hooks = false }: ExplainedRequest = {},
): Promise<ReadExplanation> {
  const context = createAppContext(options)
  const { target, request } = toExplainedRequest(url, { auth, signal })
  const { prefix = '' } = options
  const routes = listCandidates(listRoutes(context), target.slice(prefix.length))
  const { route, id } = createRouter(routes, prefix)(target)
  const { GET } = route.planners
  if (GET === undefined) throw createMethodError(route, 'GET')
  const read = { ...request, id }
  const explanation = await explainRequest(GET, read, context, { runsHooks: hooks })
  return explanation ?? { dialect: options.store.dialect, statements: [], warnings: [] }
}

/** Lists the routes that a path may have: a router for the routes of hundreds of types takes longer than the read. */
function listCandidates<Listed extends Readonly<{ path: string }>>(
  routes: readonly Listed[],
  path: string,
): readonly Listed[] {
  const segment = findFirstSegment(path)
  const candidates = routes.filter((route) => findFirstSegment(route.path) === segment)
  // The segment may be percent-encoded.
  return candidates.length > 0 ? candidates : routes
}

function findFirstSegment(path: string): string | undefined {
  return /^\/[^/?]*/.exec(path)?.[0]
}

/** Creates the request of a URL or a path, for handlers that are only explained; the path still has no id. */
export function toExplainedRequest(
  url: string,
  { auth, signal }: ExplainedRequest,
): Readonly<{ target: string; request: Omit<ApiRequest, 'id'> }> {
  const target = url.replace(/^https?:\/\/[^/?#]*/, '').replace(/#.*$/s, '') || '/'
  const request = {
    ...{ auth, origin: '', body: new Uint8Array(), log: silentLogger },
    ...{ requestId: undefined, ip: undefined },
    search: getQueryString(target),
    signal: () => signal ?? new AbortController().signal,
  }
  return { target, request }
}

/**
 * Explains a GET request: runs its statements, and returns them with their plans. The plan is that of the request, with its checks and
 * rules.
 *
 * @param options - `runsHooks`: true to run `begin` and the hooks before the read, as the request does
 * @returns `undefined` for a request that reads nothing
 * @throws the errors of the request
 */
async function explainRequest(
  planRoute: RoutePlanner,
  request: ApiRequest,
  context: AppContext,
  { runsHooks }: Readonly<{ runsHooks: boolean }>,
): Promise<ReadExplanation | undefined> {
  const { plan, identity } = planRoute(request, context)
  if (plan.is !== 'read') return undefined
  const { read, id } = plan
  const hooks = runsHooks ? bindHooks(read, context, request) : undefined
  const own = identity ? { ...read, identity } : read
  return context.store.explain(own, id, { hooks, signal: request.signal })
}
