import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import type { AccessView, FindAccessView } from './access-views.ts'
import { bindIdentity } from './access-views.ts'
import type { AppContext } from './app-context.ts'
import type { RouteHandler } from './handler.ts'
import type { Method } from './model-paths.ts'
import { reportDeniedAccess } from './report-denied-access.ts'
import { buildRouteTable, type ModelRoute } from './route-table.ts'

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
  // Routes over relationships that the view hides are missing.
  const getRoutes = memoizeByIdentity(
    (view: AccessView) =>
      new Map(buildRouteTable(view.planner).map((route) => [route.path, route])),
  )
  const protect = (path: string, method: Method): RouteHandler => {
    return (request, context) => {
      const view = findView(request.auth)
      const handle = getRoutes(view).get(path)?.methods[method]
      if (handle === undefined) throw new HiddenRouteError()
      return reportDeniedAccess(request, () =>
        handle(request, bindIdentity(context, view, request.auth)),
      )
    }
  }
  const checkVisible = (path: string) => (auth: unknown) => {
    if (!getRoutes(findView(auth)).has(path)) throw new HiddenRouteError()
  }
  // No decision holds without an auth context.
  const routesOfEverybody = getRoutes(findView(undefined))
  return routes.map((route) => {
    // The keys of `methods` are methods; `Object.keys` returns them as strings.
    const methods = (Object.keys(route.methods) as Method[]).map(
      (method) => [method, protect(route.path, method)] as const,
    )
    return {
      ...route,
      methods: Object.fromEntries(methods),
      ...(!routesOfEverybody.has(route.path) && { checkVisible: checkVisible(route.path) }),
    }
  })
}
