import type { ReadPlan } from '../plan/read.ts'

type Pairs = ReadPlan['pairs']

/** Where a document is told: what its links are made from. */
export interface Place {
  /** Scheme and host, for absolute links, e.g. `http://127.0.0.1:3000`. */
  readonly origin: string
  /** The path of the document, base path included. */
  readonly path: string
}

/** A query string with its `?`, every reserved character encoded (JSON:API 1.0, Query Parameters); empty for none. */
export function queryString(pairs: Pairs): string {
  if (pairs.length === 0) return ''
  return `?${pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')}`
}

/**
 * The links between the pages of a list: `first`, `last` and where they exist `prev` and `next`; none on a single page.
 * All are absolute and keep the rest of the query.
 *
 * @param count - resources on all pages
 * @see SERVICE §3, §5; JSON:API 1.0, Pagination
 */
export function pageLinks(
  { page, pairs }: ReadPlan,
  count: number,
  { origin, path }: Place,
): Record<string, string> {
  if (page === undefined) return {}
  const last = Math.max(1, Math.ceil(count / page.size))
  if (last === 1 && page.number === 1) return {}
  const others = queryString(pairs.filter(([name]) => name !== 'page[number]'))
  const start = `${origin}${path}${others}${others === '' ? '?' : '&'}page%5Bnumber%5D=`
  const to = (number: number) => start + number
  return {
    first: to(1),
    last: to(last),
    ...(page.number > 1 && { prev: to(Math.min(page.number - 1, last)) }),
    ...(page.number < last && { next: to(page.number + 1) }),
  }
}
