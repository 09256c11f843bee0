import type { Method } from '../describe/paths.ts'
import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import { type AccessView, bindIdentity, type FindAccessView, toIdentity } from './access-views.ts'
import type { AppContext } from './app-context.ts'
import { handleRequest } from './handle-request.ts'
import type { RouteHandler } from './handler.ts'
import { reportDeniedAccess } from './report-denied-access.ts'
import {
  buildRouteTable,
  listEndpoints,
  type ModelRoute,
  mapMethods,
  type RoutePlanner,
} from './route-table.ts'

/** A path that does not exist for the identity of a request, because it leads over a hidden relationship. */
export class HiddenRouteError extends Error {
  constructor() {
    super('The path leads over a relationship that the identity may not read.')
    this.name = 'HiddenRouteError'
  }
}

/** Returns every path of a service. In a model with access rules, each request is handled by the route of its access shape. */
export function listRoutes({ planner, findView }: AppContext): ModelRoute[] {
  const routes = buildRouteTable(planner)
  return findView ? protectRoutes(routes, findView) : routes
}

function protectRoutes(routes: readonly ModelRoute[], findView: FindAccessView): ModelRoute[] {
  // Endpoints over relationships that the view hides are missing.
  const getPlanners = memoizeByIdentity(
    (view: AccessView) =>
      new Map(listEndpoints(view.planner).map(({ path, planners }) => [path, planners])),
  )
  const find = (path: string, method: Method, auth: unknown) => {
    const view = findView(auth)
    const plan = getPlanners(view).get(path)?.[method]
    if (plan === undefined) throw new HiddenRouteError()
    return { view, plan }
  }
  const checkVisible = (path: string) => (auth: unknown) => {
    if (!getPlanners(findView(auth)).has(path)) throw new HiddenRouteError()
  }
  // No decision holds without an auth context.
  const endpointsOfEverybody = getPlanners(findView(undefined))
  return routes.map((route) => ({
    ...route,
    methods: mapMethods(
      route.methods,
      (_, method): RouteHandler =>
        (request, context) => {
          const { view, plan } = find(route.path, method, request.auth)
          return reportDeniedAccess(request, () =>
            handleRequest(plan, request, bindIdentity(context, view, request.auth)),
          )
        },
    ),
    planners: mapMethods(
      route.planners,
      (_, method): RoutePlanner =>
        (request, context) => {
          const { view, plan } = find(route.path, method, request.auth)
          return { plan: plan(request, context), identity: toIdentity(view, request.auth) }
        },
    ),
    ...(!endpointsOfEverybody.has(route.path) && { checkVisible: checkVisible(route.path) }),
  }))
}
