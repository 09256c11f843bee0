import { type AppContext, createAppContext } from '../endpoints/app-context.ts'
import { listRoutes } from '../endpoints/protected-routes.ts'
import type { Route } from '../endpoints/route-table.ts'
import { withActionCalls } from '../in-process/action-calls.ts'
import { addDescriptions } from '../openapi/add-descriptions.ts'
import { delayNotFound } from './delay-not-found.ts'
import type { HttpOptions } from './options.ts'

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
  const context = withActionCalls(createAppContext(options))
  const described = addDescriptions(listRoutes(context), context, options)
  const routes = [...described, ...(html?.routes ?? [])]
  return { routes: delayNotFound(routes, model, options), context }
}
