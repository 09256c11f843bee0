import type { Page } from '../plan/page.ts'

/** Names and values of a query string. */
export type Pairs = readonly (readonly [name: string, value: string])[]

/** Where a document is told: what its links are made from. */
export interface Place {
  /** Scheme and host, for absolute links, e.g. `http://127.0.0.1:3000`. */
  readonly origin: string
  /** The path of the document, base path included. */
  readonly path: string
  /** The request's query, decoded, in the order sent: links repeat it. */
  readonly pairs: Pairs
}

/** A query string with its `?`, every reserved character encoded (JSON:API 1.0, Query Parameters); empty for none. */
export function queryString(pairs: Pairs): string {
  if (pairs.length === 0) return ''
  return `?${pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')}`
}

/** The path of a document with the request's query. */
export function selfPath({ path, pairs }: Place): string {
  return path + queryString(pairs)
}

/**
 * The links of a list: `self`, and when there is more than one page, `first`, `last` and where they exist `prev` and `next`.
 * All are absolute and keep the rest of the query.
 *
 * @param page - `undefined` when all of the list is told
 * @param count - resources on all pages
 * @see SERVICE §3, §5; JSON:API 1.0, Pagination
 */
export function pageLinks(
  place: Place,
  page: Page | undefined,
  count: number,
): Record<string, string> {
  if (page === undefined) return {}
  const last = Math.max(1, Math.ceil(count / page.size))
  if (last === 1 && page.number === 1) return {}
  const to = (number: number) =>
    place.origin + place.path + queryString(withPage(place.pairs, number))
  return {
    first: to(1),
    last: to(last),
    ...(page.number > 1 && { prev: to(Math.min(page.number - 1, last)) }),
    ...(page.number < last && { next: to(page.number + 1) }),
  }
}

function withPage(pairs: Pairs, number: number): Pairs {
  const others = pairs.filter(([name]) => name !== 'page[number]')
  return [...others, ['page[number]', String(number)]]
}
