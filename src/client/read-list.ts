import { isObject } from '../model/kinds/json.ts'
import type { QueryInput } from '../parse/format-query.ts'
import { ResponseError } from './response-error.ts'
import type { CallOptions, ResponseDocument, Send } from './transport.ts'

/** The longest URL that every proxy and every server takes, in bytes; a longer query is the body of a QUERY. */
const longestUrl = 6000

/**
 * Reads a list. Where something between the client and the server does not know QUERY, it sends the GET after all.
 * @param search - the query string with its `?`; empty for none
 */
export async function readList(
  send: Send,
  url: string,
  search: string,
  options: CallOptions | undefined,
): Promise<ResponseDocument> {
  const get = { ...options, method: 'GET', url: url + search } as const
  if (url.length + search.length <= longestUrl) return send(get)
  try {
    return await send({ ...options, method: 'QUERY', url, query: search.slice(1) })
  } catch (error) {
    const isUnknown =
      error instanceof ResponseError && (error.status === 405 || error.status === 501)
    if (!isUnknown) throw error
    return send(get)
  }
}

/**
 * Makes the pages of a query those between cursors, which lose and repeat no row while others write, unless the query has a page by number,
 * or all resources on one.
 * @param by - what makes a page one between cursors
 */
export function betweenCursors(
  query: QueryInput = {},
  by: QueryInput = { cursors: false },
): QueryInput {
  const page = isObject(query.page) ? query.page : {}
  const isNumbered = page.number !== undefined || page.size === 0
  return isNumbered ? query : { ...query, page: { ...by, ...page } }
}

/** What the next page of a list depends on. */
interface Page {
  readonly meta: unknown
  readonly links: Readonly<Record<string, unknown>>
}

/**
 * Returns the query string of the next page; `undefined` behind the last one. Only the query: the server may know itself by another
 * address than the client does.
 * @param search - that of the page
 */
export function findNext({ meta, links }: Page, url: string, search: string): string | undefined {
  if (typeof links.next === 'string') return new URL(links.next, url).search
  // A document whose query is too long for a URL has no links.
  if (links.self !== undefined || search === '') return undefined
  const { page } = meta as Readonly<{ page?: unknown }>
  // Null or absent behind the last page.
  const { after, next } = isObject(page) ? page : {}
  const parameters = new URLSearchParams(search)
  if (typeof after === 'string') parameters.set('page[after]', after)
  else if (typeof next === 'number') parameters.set('page[number]', String(next))
  else return undefined
  return `?${parameters}`
}
