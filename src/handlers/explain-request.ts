import { bindHooks } from '../lifecycle/read.ts'
import type { ReadExplanation } from '../store/explain.ts'
import type { AppContext } from './app-context.ts'
import type { ApiRequest } from './handler.ts'
import type { PlanRoute } from './route-table.ts'

/**
 * Explains a GET request: runs its statements, and returns them with their plans. The plan is that of the request, with its checks and
 * rules.
 *
 * @param options - `runsHooks`: true to run `begin` and the hooks before the read, as the request does
 * @returns `undefined` for a request that reads nothing
 * @throws the errors of the request
 */
export async function explainRequest(
  planRoute: PlanRoute,
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
