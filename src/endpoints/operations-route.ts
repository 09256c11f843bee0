import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import { operationsPath } from '../model/model.ts'
import { bindIdentity } from './access-views.ts'
import type { AppContext } from './app-context.ts'
import { handleRequest } from './handle-request.ts'
import { createOperationsPlanner } from './plan-operations.ts'
import { reportDeniedAccess } from './report-denied-access.ts'
import type { Route } from './route-table.ts'

/** Returns the route of several writes in one transaction; none for a model without it. */
export function listOperationsRoutes({ planner }: AppContext): readonly Route[] {
  if (planner.model.atomic === undefined) return []
  const getEndpoint = memoizeByIdentity(createOperationsPlanner)
  const route: Route = {
    path: operationsPath,
    readOnlyMethods: [],
    isAtomic: true,
    methods: {
      POST: (request, context) => {
        const { auth } = request
        const view = context.findView?.(auth)
        const bound = view ? bindIdentity(context, view, auth) : context
        const endpoint = getEndpoint(view?.planner ?? context.planner)
        return reportDeniedAccess(request, () => handleRequest(endpoint, request, bound))
      },
    },
  }
  return [route]
}
