import { type AppOptions, createAppContext } from '../handlers/app-context.ts'
import { explainRequest } from '../handlers/explain-request.ts'
import { listRoutes } from '../handlers/protected-routes.ts'
import type { Logger } from '../model/request-context.ts'
import type { ReadExplanation } from '../store/explain.ts'
import { createRouter } from './router.ts'

/** The request that is explained. */
export interface ExplainedRequest {
  /** The auth context: what `authenticate` would return. */
  readonly auth?: unknown
  readonly signal?: AbortSignal | undefined
}

const ignore = () => {}
const silent: Logger = {
  ...{ trace: ignore, debug: ignore, info: ignore },
  ...{ warn: ignore, error: ignore, fatal: ignore },
}

/**
 * Explains the read of a GET request: runs its statements and returns their SQL, query plans and durations, with warnings such as a
 * filter without an index, and the SQL that creates it.
 *
 * @param options - the model, the store, and the prefix of the paths
 * @param url - the URL or path of the request, e.g. `/persons?filter[name]=Ada`
 * @throws what the request would answer: ApiError, ManyErrors
 * @returns an explanation without statements for the root document
 */
export async function explainRead(
  options: AppOptions,
  url: string,
  { auth, signal }: ExplainedRequest = {},
): Promise<ReadExplanation> {
  const context = createAppContext(options)
  const target = url.replace(/^https?:\/\/[^/?#]*/, '').replace(/#.*$/s, '') || '/'
  const { route, id } = createRouter(listRoutes(context), options.prefix ?? '')(target)
  const { GET } = route.methods
  const mark = target.indexOf('?')
  const request = {
    ...{ id, auth, origin: '', body: new Uint8Array(), log: silent },
    ...{ requestId: undefined, ip: undefined },
    search: mark === -1 ? '' : target.slice(mark + 1),
    signal: () => signal ?? new AbortController().signal,
  }
  const explanation = GET && (await explainRequest(GET, request, context))
  return explanation ?? { dialect: options.store.dialect, statements: [], warnings: [] }
}
