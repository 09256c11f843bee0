import { mediaType } from '../parse/negotiate.ts'
import { type Html, h } from './element.ts'
import { formatClientCall } from './format-client-call.ts'
import type { BaseContext } from './page-context.ts'

/** Renders the request of the page for other programs: a shell, JavaScript, and the typed client. */
export function renderRequest(context: BaseContext): Html {
  const { origin = 'http://localhost', target } = context.request
  const url = origin + target
  const call = formatClientCall(context)
  const snippets: readonly (readonly [title: string, code: Html])[] = [
    ['curl', renderCurl(url)],
    ['fetch', renderFetch(url)],
    ...(call === undefined
      ? []
      : [['Typed client', renderClient(origin + context.request.prefix, call)] as const]),
  ]
  return h(
    'details',
    { class: 'panel' },
    h('summary', null, 'This request as code'),
    snippets.map(([title, code]) => [
      h('h2', null, title),
      h('pre', { tabIndex: 0, role: 'region', 'aria-label': title }, h('code', null, code)),
    ]),
  )
}

/** Quotes a text for a POSIX shell. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** The position in a code at which the script of a page that was opened with credentials writes where they belong. */
function renderCredentials(code: 'curl' | 'token' | 'fetch' | 'client'): Html {
  return h('span', { 'data-credentials': code })
}

function renderCurl(url: string): Html {
  return [
    `curl --globoff -H ${quoteForShell(`Accept: ${mediaType}`)}`,
    renderCredentials('curl'),
    ' ',
    h('bdi', null, quoteForShell(url)),
  ]
}

function renderFetch(url: string): Html {
  return [
    renderCredentials('token'),
    'const response = await fetch(',
    h('bdi', null, JSON.stringify(url)),
    `, {\n  headers: { Accept: '${mediaType}'`,
    renderCredentials('fetch'),
    ' },\n})\nconst document = await response.json()',
  ]
}

/** @param api - the address of the API */
function renderClient(api: string, call: string): Html {
  return [
    "import { createClient } from 'lapidary/client'\nimport type { model } from './model.ts'\n\n",
    renderCredentials('token'),
    `const client = createClient<typeof model>({ url: ${JSON.stringify(api)}`,
    renderCredentials('client'),
    ' })\n',
    h('bdi', null, call),
  ]
}
