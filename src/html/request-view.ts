import { mediaType } from '../parse/negotiate.ts'
import { type Html, h } from './element.ts'
import { formatClientCall } from './format-client-call.ts'
import type { BaseContext } from './page-context.ts'

/** Renders the request of the page for other programs: a shell, JavaScript, and the typed client. */
export function renderRequest(context: BaseContext): Html {
  const { origin = 'http://localhost', target } = context.request
  const url = origin + target
  const call = formatClientCall(context)
  const snippets: readonly (readonly [title: string, code: string])[] = [
    ['curl', formatCurl(url)],
    ['fetch', formatFetch(url)],
    ...(call === undefined ? [] : [['Typed client', call] as const]),
  ]
  return h(
    'details',
    { class: 'panel' },
    h('summary', null, 'This request as code'),
    snippets.map(([title, code]) => [
      h('h2', null, title),
      h(
        'pre',
        { tabIndex: 0, role: 'region', 'aria-label': title },
        h('code', null, h('bdi', null, code)),
      ),
    ]),
  )
}

/** Quotes a text for a POSIX shell. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function formatCurl(url: string): string {
  return `curl --globoff -H ${quoteForShell(`Accept: ${mediaType}`)} ${quoteForShell(url)}`
}

function formatFetch(url: string): string {
  return [
    `const response = await fetch(${JSON.stringify(url)}, {`,
    `  headers: { Accept: '${mediaType}' },`,
    '})',
    'const document = await response.json()',
  ].join('\n')
}
