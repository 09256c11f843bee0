import { type AppOptions, createAppContext } from '../handlers/app-context.ts'
import { type AccessExplanation, explainRequestAccess } from '../handlers/explain-access.ts'
import { HiddenRouteError, listRoutes } from '../handlers/protected-routes.ts'
import type { ModelRoute } from '../handlers/route-table.ts'
import { type ExplainedRequest, toExplainedRequest } from './explain-read.ts'
import { createRouteNotFound } from './headers.ts'
import { createMethodError, findMethod } from './methods.ts'
import { createRouter } from './router.ts'

/** The request whose access rules are explained. */
export interface ExplainedAccessRequest extends ExplainedRequest {
  /** The document of a write. Default: one without attributes and members, whose missing values are not errors. */
  readonly body?: unknown
}

/**
 * Explains what the access rules do to a request, e.g. `PATCH /issues/1`: which rule allows or denies it, which rules restrict the rows
 * of its response, their conditions and SQL for the identity, and the fields that do not exist for it. It reads the rows that the
 * request names, and writes nothing. Hooks and validators do not run.
 *
 * @param options - the model, the store, and the prefix of the paths
 * @param line - the method and the URL or path; a URL alone is a GET
 * @throws ApiError `route_not_found` (404) and `method_not_allowed` (405); what a function of a rule throws
 */
export async function explainAccess(
  options: AppOptions,
  line: string,
  { auth, body, signal }: ExplainedAccessRequest = {},
): Promise<AccessExplanation> {
  const context = createAppContext(options)
  const [, method = 'GET', url = ''] = /^(?:([A-Z]+) +)?(.*)$/s.exec(line) ?? []
  const explained = toExplainedRequest(url, { auth, signal })
  const { route, id } = createRouter(listRoutes(context), options.prefix ?? '')(explained.target)
  const name = findMethod(route, method)
  const plan = name && route.plans[name]
  if (plan === undefined) throw createMethodError(route, method)
  const document = body ?? createPlaceholder(route, name, id)
  const request = {
    ...explained.request,
    id,
    body: new TextEncoder().encode(JSON.stringify(document)),
  }
  try {
    return await explainRequestAccess(plan, request, context, body !== undefined)
  } catch (error) {
    // The path leads over a relationship that does not exist for the identity.
    if (error instanceof HiddenRouteError) throw createRouteNotFound(explained.target)
    throw error
  }
}

/** Creates a document that is valid as far as no field is required. */
function createPlaceholder({ target }: ModelRoute, method: string | undefined, id: string): object {
  if (target.is === 'relationship') return { data: target.relationship.many ? [] : null }
  if (target.is === 'root') return {}
  const type = target.is === 'related' ? target.relationship.to : target.resource.type
  return { data: { type, ...(method === 'PATCH' && { id }) } }
}
