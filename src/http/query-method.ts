import type { ApiRequest, ApiResponse } from '../endpoints/handler.ts'
import { locateErrorsOf } from '../endpoints/operation-errors.ts'
import { acceptQuery, readQueryType } from '../parse/negotiate.ts'
import { canonicalizeSearch } from '../parse/query.ts'
import { parseQueryBody, toPointers } from '../parse/query-body.ts'
import type { DocumentVersion } from '../serialize/document.ts'
import { getQueryString } from './headers.ts'
import type { HttpRequest } from './request.ts'

/** Reads `POST` with `X-HTTP-Method-Override: QUERY` as a QUERY, for clients behind a proxy that does not know the method. */
export function overrideMethod(request: HttpRequest): HttpRequest {
  const isQuery = request.method === 'POST' && request.header('x-http-method-override') === 'QUERY'
  return isQuery ? { ...request, method: 'QUERY' } : request
}

/** The longest query of a URL that the response to QUERY names, in bytes: what caches, proxies and other servers take. */
const maxLinkedQuery = 8000

/**
 * Processes a QUERY (RFC 10008) as the GET that means the same.
 * @param run - calls the handler of GET with the query string
 * @param version - that of the documents
 * @returns the response with `Location`, the URL of this GET, unless that is too long
 */
export function processQuery(
  request: HttpRequest,
  run: (query: Pick<ApiRequest, 'search' | 'isLong'>) => ApiResponse | Promise<ApiResponse>,
  version: DocumentVersion,
): Promise<ApiResponse> {
  const is = readQueryType(request.header('content-type'))
  const { target } = request
  const [path = ''] = target.split('?', 1)
  const respond = async (body: Uint8Array): Promise<ApiResponse> => {
    const query = parseQueryBody(body, getQueryString(target), is)
    try {
      const canonical = canonicalizeSearch(query.search)
      const isLong = canonical.length > maxLinkedQuery
      const response = await run({ search: query.search, ...(isLong && { isLong }) })
      const headers = {
        ...response.headers,
        'accept-query': acceptQuery,
        ...(!isLong && { location: path + canonical }),
      }
      return { ...response, headers }
    } catch (error) {
      throw toPointers(error, query)
    }
  }
  if (version === '1.0' || is === 'form') return request.processBody(respond)
  return request.processBody((body) => locateErrorsOf(() => respond(body), body))
}
