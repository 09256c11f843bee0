import type { ParsedExchange } from './parse-exchange.ts'
import { splitUrl } from './parse-exchange.ts'
import type { Members, RuleViolation, Violations } from './rule-violation.ts'
import { appendToken, checkMembers, isObject } from './rule-violation.ts'

/** The format of a link: a path, or an absolute URL. */
type LinkFormat = 'path' | 'absolute' | 'any'

const origin = /^https?:\/\/[^/?#]+/
const encodedUrl = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*$/

/** Checks one link: a string in the expected format, with every reserved character percent-encoded. */
export function* checkLink(link: unknown, pointer: string, format: LinkFormat): Violations {
  if (typeof link !== 'string') {
    yield { rule: 'LNK-2', pointer, message: 'a link must be a string' }
    return
  }
  const isAbsolute = origin.test(link)
  const isPath = /^\/(?!\/)/.test(link)
  if (format === 'absolute' ? !isAbsolute : format === 'path' ? !isPath : !isAbsolute && !isPath) {
    const expected = { path: 'a path', absolute: 'an absolute URL', any: 'a URL' }[format]
    yield { rule: 'service.md#documents', pointer, message: `the link must be ${expected}` }
  }
  // Only the brackets of an IPv6 host are not encoded.
  if (!encodedUrl.test(link.replace(origin, ''))) {
    yield { rule: 'LNK-3', pointer, message: 'reserved characters must be percent-encoded' }
  }
}

/** The address of a link, which in JSON:API 1.1 may be an object. @see https://jsonapi.org/format/1.1/#document-links */
export function getHref(link: unknown): unknown {
  return isObject(link) ? link.href : link
}

const paginationLinks = ['first', 'last', 'prev', 'next']

/** Checks the top-level links of a document. */
export function* checkTopLinks(parsed: ParsedExchange): Violations {
  const { isModern } = parsed
  const { links, data } = parsed.body
  const pointer = '/links'
  if (links === undefined) {
    if (data !== undefined) yield { rule: 'DOC-6', pointer, message: 'self is missing' }
    return
  }
  if (!isObject(links)) {
    yield { rule: 'LNK-1', pointer, message: 'it must be an object' }
    return
  }
  const members = ['self', 'related', ...paginationLinks, ...(isModern ? ['describedby'] : [])]
  yield* checkMembers(links, members, { rule: 'DOC-6', pointer })
  const isLinkage = parsed.relationship !== undefined
  const format =
    data === undefined ? 'any' : Array.isArray(data) && !isLinkage ? 'absolute' : 'path'
  for (const [name, link] of Object.entries(links)) {
    // Null says that there is no such page (https://jsonapi.org/format/1.0/#fetching-pagination).
    if (link === null && paginationLinks.includes(name)) continue
    const isAny = name === 'describedby' || (isLinkage && paginationLinks.includes(name))
    const address = isModern ? getHref(link) : link
    yield* checkLink(address, appendToken(pointer, name), isAny ? 'any' : format)
  }
  if (data === undefined) return
  const { method, headers } = parsed.exchange
  // No URL has a query that is too long.
  const isLong = method === 'QUERY' && headers.location === undefined
  if (links.self === undefined && !isLong)
    yield { rule: 'DOC-6', pointer: '/links/self', message: 'it is missing' }
  if (method !== 'GET') return
  yield* checkTopSelf(parsed, links)
  yield* checkPaging(parsed, links)
  if (isLinkage) yield* checkRelated(links)
}

/** Checks that `self` is the URL of the request. */
function* checkTopSelf({ path, query }: ParsedExchange, links: Members): Violations {
  const self = getHref(links.self)
  if (typeof self !== 'string') return
  const link = splitUrl(self)
  if (link.path !== path) {
    yield {
      rule: 'DOC-6',
      pointer: '/links/self',
      message: `its path must be the path of the request, ${path}`,
    }
  }
  if (canonicalQuery(link.query) !== canonicalQuery(query)) {
    yield {
      rule: 'service.md#documents',
      pointer: '/links/self',
      message: 'it must repeat the query of the request',
    }
  }
}

/** Checks the related link of a relationship document. */
function* checkRelated({ related, ...links }: Members): Violations {
  const self = getHref(links.self)
  if (typeof self !== 'string') return
  const expected = self.replace(/\?.*/, '').replace(/\/relationships\/([^/]+)$/, '/$1')
  if (related !== expected) {
    yield { rule: 'GET-9', pointer: '/links/related', message: `it must be ${expected}` }
  }
}

/** Checks the pagination links: only on collections, and equal to the request except for the page. */
function* checkPaging({ body, path, query }: ParsedExchange, links: Members): Violations {
  const found = paginationLinks.filter((name) => name in links)
  if (found.length === 0) return
  const violation = (rule: string, name: string, message: string): RuleViolation => {
    return { rule, pointer: appendToken('/links', name), message }
  }
  const isUnpaginated = query.some(([name, value]) => name === 'page[size]' && value === '0')
  for (const name of found) {
    if (!Array.isArray(body.data))
      yield violation('PAG-3', name, 'only a collection has pagination links')
    if (isUnpaginated)
      yield violation('PAG-5', name, 'page[size]=0 returns everything, so there are no other pages')
    const link = links[name]
    if (typeof link !== 'string') continue
    const target = splitUrl(link)
    if (
      target.path !== path ||
      canonicalQuery(withoutPage(target.query)) !== canonicalQuery(withoutPage(query))
    ) {
      yield violation(
        'PAG-6',
        name,
        'it must repeat the path and the query of the request, except for the page',
      )
    }
  }
  for (const name of ['first', 'last']) {
    if (!found.includes(name))
      yield violation('PAG-5', name, 'it is missing although other pagination links are present')
  }
}

type Pairs = ParsedExchange['query']

function withoutPage(query: Pairs): Pairs {
  return query.filter(([name]) => !name.startsWith('page['))
}

function canonicalQuery(query: Pairs): string {
  return JSON.stringify(query.map((pair) => JSON.stringify(pair)).sort())
}
