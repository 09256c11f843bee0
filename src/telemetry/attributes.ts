import type { ObservedRequest, ObservedStatement } from '../observe/events.ts'
import type { DescribedStatement } from './describe-statement.ts'
import type { Attributes } from './metrics.ts'

/** The methods that the conventions know; any other is `_OTHER`. */
const methods: ReadonlySet<string> = new Set(
  'GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH QUERY'.split(' '),
)

/** `http.request.method`: a method that clients make up is one value of an attribute, not a new one. */
export function toMethod(method: string): string {
  return methods.has(method) ? method : '_OTHER'
}

/** The attributes of a request that are known when it begins. */
export function describeStart({ method, scheme, route }: ObservedRequest): Attributes {
  return {
    'http.request.method': toMethod(method),
    'url.scheme': scheme === 'https' ? 'https' : 'http',
    ...(route && { 'http.route': route.path }),
  }
}

/** The attributes of a request that has ended. */
export function describeEnd(request: ObservedRequest): Attributes {
  const { status, code, protocolVersion } = request
  return {
    ...describeStart(request),
    'http.response.status_code': status,
    ...(status >= 500 && { 'error.type': code ?? String(status) }),
    ...(protocolVersion !== undefined && { 'network.protocol.version': protocolVersion }),
  }
}

/** The attributes of a statement, without its text. */
export function describeOperation(
  { source, error }: ObservedStatement,
  { operation, collection, summary }: DescribedStatement,
): Attributes {
  const code = error === undefined ? undefined : findSqlState(error)
  return {
    'db.system.name': source.system,
    ...(source.namespace !== undefined && { 'db.namespace': source.namespace }),
    ...(collection !== undefined && { 'db.collection.name': collection }),
    'db.operation.name': operation,
    'db.query.summary': summary,
    ...(source.address !== undefined && { 'server.address': source.address }),
    ...(source.port !== undefined && { 'server.port': source.port }),
    ...(code !== undefined && { 'db.response.status_code': code }),
    ...(error !== undefined && { 'error.type': code ?? findErrorName(error) }),
  }
}

/** Returns the code that a database has given an error, or the error that caused it. */
function findSqlState(error: unknown): string | undefined {
  let each = error
  for (let depth = 0; depth < 5 && each instanceof Error; depth += 1) {
    const code: unknown = Reflect.get(each, 'code')
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return code
    const number: unknown = Reflect.get(each, 'errcode')
    if (typeof number === 'number') return String(number)
    each = each.cause
  }
  return undefined
}

/** The class of an error, for one without a code: a message may have a value of the request. */
function findErrorName(error: unknown): string {
  return error instanceof Error ? error.constructor.name : '_OTHER'
}
