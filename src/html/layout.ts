import { renderToString } from 'preact-render-to-string'
import { type Html, h } from './element.ts'
import type { BaseContext } from './page-context.ts'
import { renderRequest } from './request-view.ts'

/** The addresses of the files of a page. */
export interface PageFiles {
  readonly style: string
  readonly script: string
  /** The modules that the script imports, which a browser loads at once. */
  readonly modules: readonly string[]
  /** The description of the resource types for the script. */
  readonly model: string
  /** The page that explains a read; `undefined` if the server explains none. */
  readonly explanation: string | undefined
}

/** The parts of a page. */
interface PageParts {
  readonly title: string
  readonly content: Html
  /** The second column: the JSON, and the request. Absent for a page of one column. */
  readonly aside?: Html
  /** The version of what the page shows, which its forms send; absent without one. */
  readonly version?: string | undefined
}

/**
 * The longest page, in UTF-16 code units. No part of a page repeats the request for each of its elements, so only a document that
 * needs many character references is longer.
 */
const maxLength = 8 * 1024 * 1024

/** Renders a complete HTML document. One that is too long says so instead. */
export function renderLayout(context: BaseContext, files: PageFiles, parts: PageParts): string {
  const page = renderDocument(context, files, parts)
  if (page.length <= maxLength) return page
  const content = renderTooLong('The page would be longer than 8 MB.')
  return renderDocument(context, files, { ...parts, content, aside: renderRequest(context) })
}

/** Renders what a page has instead of a document that it cannot show. @param reason - a sentence */
export function renderTooLong(reason: string): Html {
  return [
    h('h1', null, 'Too long for a page'),
    h('p', null, `${reason} Choose a smaller page[size], or load it as JSON.`),
  ]
}

function renderDocument(context: BaseContext, files: PageFiles, parts: PageParts): string {
  const page = h(
    'html',
    { lang: 'en' },
    renderHead(files, parts.title),
    h(
      'body',
      { 'data-model': files.model, 'data-version': parts.version },
      h('a', { class: 'skip', href: '#content' }, 'Skip to the content'),
      renderBreadcrumb(context),
      h(
        'div',
        { class: parts.aside === undefined ? 'column' : 'columns' },
        h('main', { id: 'content', tabIndex: -1 }, parts.content),
        parts.aside !== undefined &&
          h('aside', { 'aria-label': 'Document and request' }, parts.aside),
      ),
    ),
  )
  // `h` returns one element here, which is what Preact renders.
  return `<!doctype html>${renderToString(page as Parameters<typeof renderToString>[0])}`
}

function renderHead({ style, script, modules }: PageFiles, title: string): Html {
  return h(
    'head',
    null,
    h('meta', { charset: 'utf-8' }),
    h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    h('meta', { name: 'color-scheme', content: 'light dark' }),
    h('title', null, title),
    // Without an icon, browsers request /favicon.ico.
    h('link', { rel: 'icon', href: 'data:,' }),
    h('link', { rel: 'stylesheet', href: style }),
    h('script', { type: 'module', src: script }),
    modules.map((href) => h('link', { rel: 'modulepreload', href })),
  )
}

/** The segments of the longest path that has a page, e.g. `/persons/1/relationships/computers`. */
const maxSegments = 4

/** Lists the segments of the path of a page, without the prefix; none of a path without a route, above which there are no addresses. */
function listSegments({ request: { prefix }, url, document }: BaseContext): readonly string[] {
  if (document.errors?.some(({ code }) => code === 'route_not_found')) return []
  const rest = url.path.startsWith(prefix) ? url.path.slice(prefix.length) : url.path
  const segments = rest.split('/', 2 * maxSegments + 1).filter((segment) => segment !== '')
  return segments.length > maxSegments ? [] : segments
}

/** Renders links to the addresses above the page. A segment that is not an address is a text. */
function renderBreadcrumb(context: BaseContext): Html {
  const { prefix } = context.request
  const segments = listSegments(context)
  const items = segments.map((segment, index) => {
    const path = `${prefix}/${segments.slice(0, index + 1).join('/')}`
    return { text: decodeSegment(segment), path, isAddress: !isRelationships(segments, index) }
  })
  return h(
    'nav',
    { class: 'breadcrumb', 'aria-label': 'Breadcrumb' },
    h(
      'ol',
      null,
      h('li', null, h('a', { href: `${prefix}/` }, 'API')),
      items.map(({ text, path, isAddress }, index) => {
        const isLast = index === items.length - 1
        const attributes = { href: path, 'aria-current': isLast ? 'page' : undefined }
        return h('li', null, isAddress ? h('a', attributes, h('bdi', null, text)) : text)
      }),
    ),
  )
}

/** True for the segment `relationships` of a relationship's address. */
function isRelationships(segments: readonly string[], index: number): boolean {
  return index === 2 && segments.length > 3 && segments[index] === 'relationships'
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/**
 * The header fields of every page. It loads nothing from other hosts, runs no inline script, and is in no frame.
 * @see https://www.w3.org/TR/CSP3/
 */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
  'cache-control': 'no-cache',
} as const
