import { type AppContext, createAppContext } from '../endpoints/app-context.ts'
import type { FindPath } from '../endpoints/paths.ts'
import { listOperationsRoutes } from '../endpoints/plan-operations.ts'
import { listRoutes } from '../endpoints/protected-routes.ts'
import type { Route } from '../endpoints/route-table.ts'
import { withActionCalls } from '../in-process/action-calls.ts'
import { addDescriptions } from '../openapi/add-descriptions.ts'
import { delayNotFound } from './delay-not-found.ts'
import type { HttpOptions } from './options.ts'
import { createRouteFinder } from './router.ts'

/** The routes of an application over HTTP, and the dependencies of their handlers. */
interface ApplicationRoutes {
  readonly routes: readonly Route[]
  readonly context: AppContext
}

/**
 * Creates every route of an application: those of its model, of its description (`openapi`) and of its pages (`html`).
 * @throws DeclarationError when a resource type has the path of the reference page
 */
export function createRoutes(options: HttpOptions): ApplicationRoutes {
  const { model, html } = options
  const app = withActionCalls(createAppContext(options))
  const listed = listRoutes(app)
  const context = model.atomic ? { ...app, findPath: createPathFinder(listed, options) } : app
  const described = addDescriptions(listed, context, options)
  const routes = [...described, ...listOperationsRoutes(context), ...(html?.routes ?? [])]
  return { routes: delayNotFound(routes, model, options), context }
}

/** Creates the function that finds what the address in an operation leads to: what a request to it would find. */
function createPathFinder(routes: readonly Route[], { prefix = '' }: HttpOptions): FindPath {
  const find = createRouteFinder(routes, prefix)
  return (target) => {
    const found = find(target)
    return found && { path: found.route.path, id: found.id }
  }
}
