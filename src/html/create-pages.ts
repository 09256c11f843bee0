import { getNamed } from '../describe/describe-model.ts'
import { readAddressRights } from '../endpoints/address-rights.ts'
import type { RouteHandler } from '../endpoints/handler.ts'
import { readDeletion } from '../endpoints/read-deletion.ts'
import type { Route } from '../endpoints/route-table.ts'
import type { HtmlPages, PageDocument, PageRequest, RoutedRequest } from '../http/html.ts'
import { throwDeclarationErrors } from '../model/check/declaration-error.ts'
import { booleanCheck, type Check, members, optional } from '../model/check/option-checks.ts'
import { renderActionForms } from './action-forms.ts'
import { readAssets } from './assets.ts'
import { renderCollection, renderIncluded, renderLinkage } from './collection-view.ts'
import { type CountedRequest, type CountReader, createCountReader } from './count-resources.ts'
import { listData, parseDocument, type ShownDocument, type ShownError } from './document.ts'
import { renderDeleteForm, renderUpdateForm } from './edit-form.ts'
import { type Html, h } from './element.ts'
import { createExplanationHandler, renderExplanationLink } from './explain-view.ts'
import { renderJson } from './json-view.ts'
import { type PageFiles, pageHeaders, renderLayout, renderTooLong } from './layout.ts'
import {
  type BaseContext,
  createResourceIndex,
  findLabel,
  findType,
  getType,
  isAllowed,
  type PageContext,
} from './page-context.ts'
import { parsePageUrl } from './page-url.ts'
import { renderRequest } from './request-view.ts'
import { renderAbsent, renderResource } from './resource-view.ts'
import { renderRoot } from './root-view.ts'
import { getScriptModel } from './script-model.ts'
import { renderSignInForm } from './sign-in-form.ts'
import { maxRows } from './table.ts'

/** The options of `createPages`. */
export interface PagesOptions {
  /**
   * True for a page with the SQL of each read, its query plan, rows and time, and the indexes that it lacks. Everybody who may send
   * the request sees it, and each view runs the read again: for development. Default false.
   */
  readonly explain?: boolean
}

const pagesOptions = members({
  explain: optional(booleanCheck),
} satisfies Record<keyof PagesOptions, Check>)

/** The paths of the routes that are not files. A path with a dot cannot be that of a resource type. */
const paths = { model: '/html.model.json', explanation: '/html.explain' } as const

/**
 * Creates the pages that browsers see at the addresses of the API: `createServer({ model, store, html: createPages() })`. A page
 * shows the JSON:API document of its address, so that it contains what a client of the API may read, and nothing else.
 *
 * @throws DeclarationError for an unknown or wrong option; Error when the files of the pages cannot be read
 */
export function createPages(options: PagesOptions = {}): HtmlPages {
  throwDeclarationErrors(pagesOptions(options, 'createPages'))
  const { explain = false } = options
  const { routes, modules, toPath } = readAssets()
  const readCounts = createCountReader()
  const listFiles = (prefix: string): PageFiles => ({
    style: prefix + toPath('pages.css'),
    script: prefix + toPath('pages.js'),
    modules: modules.filter((name) => name !== 'pages.js').map((name) => prefix + toPath(name)),
    model: prefix + paths.model,
    explanation: explain ? prefix + paths.explanation : undefined,
  })
  return {
    routes: [
      ...routes,
      defineRoute(paths.model, 'application/json', getScriptModel),
      ...(explain
        ? [defineRoute(paths.explanation, 'text/html', createExplanationHandler(listFiles))]
        : []),
    ],
    render: async (document, request) => {
      const counted = await addCounts(request, readCounts)
      const body = await renderPage(document, counted, listFiles(request.prefix))
      return { headers: pageHeaders, body }
    },
  }
}

/** Adds the numbers of resources to the request of the landing page. */
async function addCounts(request: PageRequest, readCounts: CountReader): Promise<CountedRequest> {
  const { routed } = request
  const isCounted = routed?.route.target?.is === 'root' && routed.challenge === undefined
  return isCounted ? { ...request, counts: await readCounts(routed, request.origin) } : request
}

function defineRoute(path: string, mediaType: string, handle: RouteHandler): Route {
  return { path, mediaType, methods: { GET: handle }, readOnlyMethods: [] }
}

async function renderPage(
  response: PageDocument,
  request: CountedRequest,
  files: PageFiles,
): Promise<string> {
  const { text, version } = response
  const document = text === undefined ? {} : parseDocument(text)
  const context = { request, document, url: parsePageUrl(request.target) }
  const content =
    text === undefined
      ? renderTooLong('The response is longer than 2 MB.')
      : request.routed === undefined
        ? renderErrors(document, response)
        : renderContent(await addRights(context, request.routed))
  const json = text !== undefined && [
    h('details', { class: 'panel', open: true }, h('summary', null, 'JSON'), renderJson(text)),
  ]
  const title = formatTitle(context, response)
  const aside = [
    json,
    renderRequest(context),
    renderExplanationLink(context, files),
    renderDescriptionLinks(response.link),
  ]
  return renderLayout(context, files, { title, content, aside, version })
}

/** A page with a form that deletes counts so many rows at most, for so many milliseconds. */
const deletionLimits = { maxRows: 1000, timeout: 300 }

/** Adds what the identity may do at the address of a page, and what a deletion would take with it. */
async function addRights(base: BaseContext, routed: RoutedRequest): Promise<PageContext> {
  const { context, route, id, auth, signal } = routed
  const { target = { is: 'root' } } = route
  const listed = target.is === 'relationship' ? listData(base.document) : []
  const members = listed.slice(0, maxRows).map((each) => each.id)
  const rights = await readAddressRights({ context, target, id, auth, signal }, members)
  const resources = createResourceIndex(base.document)
  const page: PageContext = { ...base, routed, rights, resources }
  if (target.is !== 'resource' || !isAllowed(page, 'DELETE')) return page
  const { resource } = target
  return { ...page, deletion: await readDeletion({ context, resource, id, auth }, deletionLimits) }
}

function renderContent(context: PageContext): Html {
  const { target } = context.routed.route
  if (target?.is === 'collection')
    return renderCollection(context, getType(context, target.resource.type))
  if (target?.is === 'relationship') {
    const type = getType(context, target.resource.type)
    return renderLinkage(context, getNamed(type.relationships, target.relationship.name))
  }
  if (target?.is === 'related' && target.relationship.many)
    return renderCollection(context, getType(context, target.relationship.to))
  if (target?.is === 'resource' || target?.is === 'related') return renderOne(context)
  return renderRoot(context)
}

function renderOne(context: PageContext): Html {
  const { data } = context.document
  const { target } = context.routed.route
  if (data === undefined || data === null || !('id' in data))
    return renderAbsent(context, target?.is === 'related' ? target.relationship.name : '')
  const type = findType(context, data.type)
  return [
    renderResource(context, data),
    renderIncluded(context),
    target?.is === 'resource' &&
      renderActionForms(context, {
        ...{ type: getType(context, target.resource.type), on: 'resource' },
        path: context.url.path,
      }),
    type && renderUpdateForm(context, type, data),
    type && renderDeleteForm(context, type, data),
  ]
}

function formatTitle({ document, url }: BaseContext, { status }: PageDocument): string {
  const { data, errors } = document
  if (errors !== undefined) return `${status} ${errors[0]?.title ?? ''}`
  const label = data !== undefined && data !== null && 'id' in data ? findLabel(data) : undefined
  return label === undefined ? url.path : `${label} · ${url.path}`
}

/** What the links of a response lead to, by their relations (RFC 8631, RFC 8288), in the order of the page. */
const texts: Readonly<Record<string, string>> = {
  'service-doc': 'Reference with requests to try',
  'service-desc': 'OpenAPI document',
  describedby: 'JSON Schema of this document',
}

/**
 * Renders links to the descriptions of a page: those that the header field `Link` of its response has.
 *
 * @param link - the value of the header field (RFC 8288)
 * @returns null if there are none
 */
function renderDescriptionLinks(link: string | undefined): Html {
  const links = readLinks(link)
  if (links.length === 0) return null
  return h(
    'p',
    { class: 'descriptions' },
    links.map(([href, text], index) => [index > 0 && ' · ', h('a', { href }, text)]),
  )
}

function readLinks(link = ''): (readonly [href: string, text: string])[] {
  const found = [...link.matchAll(/<([^>]*)>; rel="([^"]+)"/g)]
  return Object.entries(texts).flatMap(([relation, text]) =>
    found.flatMap(([, href = '', each]) => (each === relation ? [[href, text] as const] : [])),
  )
}

/** Renders the errors of a document, with the words of the JSON. */
function renderErrors({ errors = [] }: ShownDocument, { status, challenge }: PageDocument): Html {
  const [first] = errors
  return [
    h('h1', null, `${status} ${first?.title ?? ''}`),
    h('ul', { class: 'errors' }, errors.map(renderError)),
    renderSignInForm(challenge),
  ]
}

function renderError({ title, detail, code, source, links }: ShownError): Html {
  const where = source?.parameter ?? source?.pointer ?? source?.header
  const type = links?.type ?? ''
  return h(
    'li',
    null,
    h('p', null, h('bdi', null, detail ?? title)),
    h(
      'p',
      { class: 'code' },
      // A URI of another scheme leads nowhere, or runs a script.
      h(
        'code',
        null,
        /^https?:/.test(type) ? h('a', { href: type, rel: 'noreferrer' }, code) : code,
      ),
      where !== undefined && [' at ', h('code', null, h('bdi', null, where))],
    ),
  )
}
