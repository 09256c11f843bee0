import { type AppOptions, createAppContext } from '../handlers/app-context.ts'
import { explainRequest } from '../handlers/explain-request.ts'
import type { ApiRequest } from '../handlers/handler.ts'
import { silentLogger } from '../handlers/handler.ts'
import { listRoutes } from '../handlers/protected-routes.ts'
import type { ReadExplanation } from '../store/explain.ts'
import { getQueryString } from './headers.ts'
import { createMethodError } from './methods.ts'
import { createRouter } from './router.ts'

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
  const { GET } = route.plans
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
