import { parseExactJson } from '../model/kinds/json.ts'
import { mediaType } from '../model/media-types.ts'
import { parseFieldFilterName } from '../parse/filter.ts'
import type { ParameterName } from '../parse/parameters.ts'
import { type Html, h } from './element.ts'
import type { BaseContext } from './page-context.ts'
import { getParameter, type PageUrl } from './page-url.ts'

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

/**
 * Formats the request of a page as a call of the typed client; `undefined` for addresses that it has no call for, and for
 * queries that it cannot express.
 */
function formatClientCall({ request, url }: BaseContext): string | undefined {
  const { routed } = request
  const { target } = routed?.route ?? {}
  if (routed === undefined || target === undefined || !('resource' in target)) return undefined
  if (!url.pairs.every(isExpressible)) return undefined
  const type = formatMember(target.resource.type)
  const id = formatLiteral(routed.id)
  const query = formatQuery(url)
  const withQuery = query === '' ? '' : `, ${query}`
  if (target.is === 'collection') return `await client${type}.list(${query})`
  if (target.is === 'resource') return `await client${type}.get(${id}${withQuery})`
  if (target.is !== 'related') return undefined
  const name = formatLiteral(target.relationship.name)
  return `await client${type}.related(${id}, ${name}${withQuery})`
}

/** Whether a parameter has a form in the query of a call. Filters by operators and lists are written as texts only in a URL. */
function isExpressible([name, value]: PageUrl['pairs'][number]): boolean {
  if (name === 'withVersions') return false
  if (!name.startsWith('filter[')) return true
  const filter = parseFieldFilterName(name)
  return filter?.operator === 'eq' && !value.includes(',')
}

function formatQuery(url: PageUrl): string {
  const members: Readonly<Record<ParameterName, unknown>> = {
    filter: readFilter(url),
    include: readList(getParameter(url, 'include')),
    withCount: readList(getParameter(url, 'withCount')),
    fields: readFields(url),
    sort: readList(getParameter(url, 'sort')),
    page: readPage(url),
    includePage: readByPath(url, /^includePage\[([^[\]]+)\]\[(size|after)\]$/, readPageMember),
    includeSort: readByPath(url, /^includeSort\[([^[\]]+)\]$/, readList),
    includeFilter: readByPath(url, /^includeFilter\[([^[\]]+)\]$/, readJsonList),
    // No call has it, as `isExpressible` says.
    withVersions: undefined,
  }
  const sent = Object.entries(members).filter(([, value]) => value !== undefined)
  return sent.length === 0 ? '' : formatLiteral(Object.fromEntries(sent))
}

function readFilter({ pairs }: PageUrl): unknown {
  const json = pairs.flatMap(([name, value]) => (name === 'filter' ? readJsonList(value) : []))
  const named = pairs.flatMap(([name, val]) =>
    name.startsWith('filter[') ? [{ name: name.slice('filter['.length, -1), op: 'eq', val }] : [],
  )
  return json.length + named.length === 0 ? undefined : [...json, ...named]
}

function readJsonList(text: string): readonly unknown[] {
  try {
    const list = parseExactJson(text)
    return Array.isArray(list) ? list : [list]
  } catch {
    return []
  }
}

function readList(value: string | undefined): readonly string[] | undefined {
  return value === undefined ? undefined : value.split(',').filter((part) => part !== '')
}

function readFields({ pairs }: PageUrl): unknown {
  const fields = pairs.flatMap(([name, value]) =>
    name.startsWith('fields[') ? [[name.slice('fields['.length, -1), readList(value)]] : [],
  )
  return fields.length === 0 ? undefined : Object.fromEntries(fields)
}

function readPage({ pairs }: PageUrl): unknown {
  const members = pairs.flatMap(([parameter, value]) => {
    const [, name] = /^page\[(\w+)\]$/.exec(parameter) ?? []
    return name === undefined ? [] : [[name, readPageMember(value, name)]]
  })
  return members.length === 0 ? undefined : Object.fromEntries(members)
}

function readPageMember(value: string, name: string | undefined): unknown {
  if (name === 'number' || name === 'size') return Number(value)
  return name === 'cursors' ? value === 'true' : value
}

/**
 * Reads the parameters of include paths.
 * @param pattern - finds the path in the name of a parameter, and behind it the name of a member
 */
function readByPath(
  { pairs }: PageUrl,
  pattern: RegExp,
  read: (value: string, member: string | undefined) => unknown,
): unknown {
  const byPath = new Map<string, unknown>()
  for (const [parameter, value] of pairs) {
    const [, path, member] = pattern.exec(parameter) ?? []
    if (path === undefined) continue
    const known: unknown = byPath.get(path)
    const each = read(value, member)
    byPath.set(path, member === undefined ? each : { ...Object(known), [member]: each })
  }
  return byPath.size === 0 ? undefined : Object.fromEntries(byPath)
}

const identifier = /^[A-Za-z_$][\w$]*$/

/** Formats the access to a member of an object, e.g. `.person` or `['invoice-lines']`. */
function formatMember(name: string): string {
  return identifier.test(name) ? `.${name}` : `[${formatLiteral(name)}]`
}

/** Formats a JSON value as a literal of JavaScript with single quotes. */
function formatLiteral(value: unknown): string {
  if (typeof value === 'string') return quoteText(value)
  if (typeof value === 'bigint') return `${value}n`
  if (Array.isArray(value)) return `[${value.map(formatLiteral).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value).map(
    ([name, member]) =>
      `${identifier.test(name) ? name : quoteText(name)}: ${formatLiteral(member)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

function quoteText(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inner}'`
}
