import type { Method } from '../describe/paths.ts'
import { createReadOnlyError, type Route } from '../endpoints/route-table.ts'
import { HttpError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'

/** Returns the methods of a route as in the `Allow` header field (RFC 9110 §10.2.1). */
export function formatAllowedMethods(route: Route): string {
  return listAllowedMethods(route.methods, takesQuery(route)).join(', ')
}

/**
 * Lists the methods of a route; HEAD and OPTIONS included.
 * @param hasQuery - whether the path takes QUERY
 */
export function listAllowedMethods(
  methods: Route['methods'],
  hasQuery: boolean,
): readonly string[] {
  const query = hasQuery ? ['QUERY'] : []
  return [...Object.keys(methods), ...('GET' in methods ? ['HEAD'] : []), ...query, 'OPTIONS']
}

/** Whether a path takes QUERY: its GET returns a list, which filters may choose from. */
export function takesQuery({ target, methods }: Pick<Route, 'target' | 'methods'>): boolean {
  if (target === undefined || !('GET' in methods)) return false
  return target.is === 'collection' || ('relationship' in target && target.relationship.many)
}

/** Whether a method reads. */
export function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'QUERY'
}

/** The methods that Node.js knows; without CONNECT, which only proxies have. */
const knownMethods: ReadonlySet<string | undefined> = new Set(
  // An `import` of `node:http` loads every lazy export of the module, which adds a tenth to the time of a start.
  process.getBuiltinModule('node:http')?.METHODS.filter((method) => method !== 'CONNECT'),
)

/** Whether a method is known, at whatever path. Methods are case-sensitive (RFC 9110 §9.1). */
export function isKnownMethod(method: string | undefined): boolean {
  return knownMethods.has(method)
}

/** Returns the error of a method that no path has (RFC 9110 §15.6.2). */
export function createUnknownMethod(method: string | undefined): HttpError {
  const detail = `There is no method ${quote(method)} at any path; methods are in upper case, such as "GET".`
  return new HttpError('unknown_method', detail, { connection: 'close' })
}

/** Returns the error of a method that a route does not have. */
export function createMethodError(route: Route, method: string): HttpError {
  if (!isKnownMethod(method)) return createUnknownMethod(method)
  if (route.readOnlyMethods.some((each) => each === method))
    return createReadOnlyError(route, method)
  const allow = formatAllowedMethods(route)
  const detail = `${method} is not allowed at this path; allowed are ${allow}.`
  return new HttpError('method_not_allowed', detail, { allow })
}

/** Returns the method whose handler processes a method: GET for HEAD and QUERY; `undefined` when the route has no such handler. */
export function findMethod(route: Route, method: string): Method | undefined {
  const name = method === 'HEAD' || (method === 'QUERY' && takesQuery(route)) ? 'GET' : method
  // The keys of `methods` are methods.
  return Object.hasOwn(route.methods, name) ? (name as Method) : undefined
}

/** The header field of a preflight request of CORS. */
export const preflightField = 'access-control-request-method'

/** Whether a request is a preflight request, which a browser sends without credentials (https://fetch.spec.whatwg.org/#http-requests). */
export function isPreflight(method: string, requestedMethod: string | undefined): boolean {
  return method === 'OPTIONS' && requestedMethod !== undefined
}
