import { renderToString } from 'preact-render-to-string'
import { type Html, h } from './element.ts'
import type { BaseContext } from './page-context.ts'

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
}

/** Renders a complete HTML document. */
export function renderLayout(context: BaseContext, files: PageFiles, parts: PageParts): string {
  const page = h(
    'html',
    { lang: 'en' },
    renderHead(files, parts.title),
    h(
      'body',
      { 'data-model': files.model },
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

/** Renders links to the addresses above the page. A segment that is not an address is a text. */
function renderBreadcrumb({ request: { prefix }, url }: BaseContext): Html {
  const rest = url.path.startsWith(prefix) ? url.path.slice(prefix.length) : url.path
  const segments = rest.split('/').filter((segment) => segment !== '')
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
