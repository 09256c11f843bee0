import type { Breach, Breaches, Members } from './breach.ts'
import { below, checkMembers, isObject } from './breach.ts'
import type { Reading } from './reading.ts'
import { splitUrl } from './reading.ts'

/** What a link looks like: a path from the root of the origin, or a whole address. */
export type LinkForm = 'path' | 'absolute' | 'any'

const absolute = /^https?:\/\/[^/?#]+/
const written = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*$/

/** One link: a string of its form, with every reserved character percent-encoded. */
export function* checkLinkText(link: unknown, at: string, form: LinkForm): Breaches {
  if (typeof link !== 'string') {
    yield { rule: 'LNK-2', at, why: 'a link is a string' }
    return
  }
  const isAbsolute = absolute.test(link)
  const isPath = /^\/(?!\/)/.test(link)
  if (form === 'absolute' ? !isAbsolute : form === 'path' ? !isPath : !isAbsolute && !isPath) {
    const wanted = { path: 'a path', absolute: 'an absolute address', any: 'a URL' }[form]
    yield { rule: 'service.md#documents', at, why: `the link must be ${wanted}` }
  }
  // The brackets of an IPv6 host are the only ones that stay.
  if (!written.test(link.replace(absolute, ''))) {
    yield { rule: 'LNK-3', at, why: 'reserved characters must be percent-encoded' }
  }
}

const paging = ['first', 'last', 'prev', 'next']

/** The links at the top of a document. */
export function* checkTopLinks(reading: Reading): Breaches {
  const { links, data } = reading.body
  const at = '/links'
  if (links === undefined) {
    if (data !== undefined) yield { rule: 'DOC-6', at, why: 'self is missing' }
    return
  }
  if (!isObject(links)) {
    yield { rule: 'LNK-1', at, why: 'it must be an object' }
    return
  }
  yield* checkMembers(links, ['self', 'related', ...paging], { rule: 'DOC-6', at })
  const isLinkage = reading.relationship !== undefined
  const form = data === undefined ? 'any' : Array.isArray(data) && !isLinkage ? 'absolute' : 'path'
  for (const [name, link] of Object.entries(links)) {
    const own = isLinkage && paging.includes(name) ? 'any' : form
    yield* checkLinkText(link, below(at, name), own)
  }
  if (data === undefined) return
  if (links.self === undefined) yield { rule: 'DOC-6', at: '/links/self', why: 'it is missing' }
  if (reading.exchange.method !== 'GET') return
  yield* checkTopSelf(reading, links)
  yield* checkPaging(reading, links)
  if (isLinkage) yield* checkRelated(links)
}

/** `self` leads back to this very answer. */
function* checkTopSelf({ path, query }: Reading, { self }: Members): Breaches {
  if (typeof self !== 'string') return
  const link = splitUrl(self)
  if (link.path !== path) {
    yield { rule: 'DOC-6', at: '/links/self', why: `its path is not that of the request, ${path}` }
  }
  if (inOrder(link.query) !== inOrder(query)) {
    yield {
      rule: 'service.md#documents',
      at: '/links/self',
      why: 'it must repeat the query of the request',
    }
  }
}

/** A relationship document carries the links that stand in the resource. */
function* checkRelated({ self, related }: Members): Breaches {
  if (typeof self !== 'string') return
  const wanted = self.replace(/\?.*/, '').replace(/\/relationships\/([^/]+)$/, '/$1')
  if (related !== wanted) {
    yield { rule: 'GET-9', at: '/links/related', why: `it must be ${wanted}` }
  }
}

/** Links to other pages: on collections only, and the same question but for the page. */
function* checkPaging({ body, path, query }: Reading, links: Members): Breaches {
  const found = paging.filter((name) => name in links)
  if (found.length === 0) return
  const breach = (rule: string, name: string, why: string): Breach => {
    return { rule, at: below('/links', name), why }
  }
  const whole = query.some(([name, value]) => name === 'page[size]' && value === '0')
  for (const name of found) {
    if (!Array.isArray(body.data)) yield breach('PAG-3', name, 'this is no collection')
    if (whole) yield breach('PAG-5', name, 'page[size]=0 has no other pages')
    const link = links[name]
    if (typeof link !== 'string') continue
    const target = splitUrl(link)
    if (target.path !== path || inOrder(unpaged(target.query)) !== inOrder(unpaged(query))) {
      yield breach('PAG-6', name, 'it must ask the same question, of another page')
    }
  }
  for (const name of ['first', 'last']) {
    if (!found.includes(name)) yield breach('PAG-5', name, 'it is missing beside the others')
  }
}

type Pairs = Reading['query']

function unpaged(query: Pairs): Pairs {
  return query.filter(([name]) => !name.startsWith('page['))
}

function inOrder(query: Pairs): string {
  return JSON.stringify(query.map((pair) => JSON.stringify(pair)).sort())
}
