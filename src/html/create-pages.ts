import type { HtmlPages, PageDocument, PageRequest } from '../http/html.ts'
import { type Assets, readAssets } from './assets.ts'
import {
  getPrimaryType,
  renderCollection,
  renderIncluded,
  renderLinkage,
} from './collection-view.ts'
import { getModelDescription } from './describe-model.ts'
import { parseDocument } from './document.ts'
import { renderDeleteForm, renderUpdateForm } from './edit-form.ts'
import { type Html, h } from './element.ts'
import { renderErrors } from './error-view.ts'
import { renderJson } from './json-view.ts'
import { type PageFiles, renderLayout } from './layout.ts'
import { type BaseContext, findLabel, findType, type PageContext } from './page-context.ts'
import { parsePageUrl } from './page-url.ts'
import { createPageView } from './page-view.ts'
import { renderRequest } from './request-view.ts'
import { renderAbsent, renderResource } from './resource-view.ts'
import { renderRoot } from './root-view.ts'

/**
 * The header fields of every page. It loads nothing from other hosts, runs no inline script, and is in no frame.
 * @see https://www.w3.org/TR/CSP3/
 */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
  'cache-control': 'no-cache',
}

/**
 * Creates the pages that browsers see at the addresses of the API: `createServer({ model, store, html: createPages() })`. A page
 * shows the JSON:API document of its address, so that it contains what a client of the API may read, and nothing else.
 *
 * @throws Error when the files of the pages cannot be read
 */
export function createPages(): HtmlPages {
  const assets = readAssets()
  const modelPath = '/html.model.json'
  return {
    routes: [
      ...assets.routes,
      {
        path: modelPath,
        methods: { GET: getModelDescription },
        readOnlyMethods: [],
      },
    ],
    render: (document, request) => ({
      headers: pageHeaders,
      body: renderPage(document, request, listFiles(assets, modelPath, request)),
    }),
  }
}

function listFiles({ toPath }: Assets, modelPath: string, { prefix }: PageRequest): PageFiles {
  return {
    style: prefix + toPath('pages.css'),
    script: prefix + toPath('pages.js'),
    model: prefix + modelPath,
  }
}

function renderPage(response: PageDocument, request: PageRequest, files: PageFiles): string {
  const { text } = response
  const document = text === undefined ? {} : parseDocument(text)
  const { found } = request
  const context = { request, document, url: parsePageUrl(request.target) }
  const content =
    text === undefined
      ? renderTooLong()
      : found === undefined
        ? renderErrors(document, response)
        : renderContent({ ...context, found, view: createPageView(found.context, found.auth) })
  const json = text !== undefined && [
    h('details', { class: 'panel', open: true }, h('summary', null, 'JSON'), renderJson(text)),
  ]
  const title = formatTitle(context, response)
  return renderLayout(context, files, { title, content, aside: [json, renderRequest(context)] })
}

/** A response of the whole table is a stream, which a page cannot be. */
function renderTooLong(): Html {
  return [
    h('h1', null, 'Too long for a page'),
    h(
      'p',
      null,
      'The response is longer than 8 MB. Choose a smaller page[size], or load it as JSON.',
    ),
  ]
}

function renderContent(context: PageContext): Html {
  const { target } = context.found.route
  if (target?.is === 'collection') return renderCollection(context, target.resource)
  if (target?.is === 'relationship')
    return renderLinkage(context, target.resource, target.relationship)
  if (target?.is === 'related' && target.relationship.many)
    return renderCollection(context, getPrimaryType(context, target.resource, target.relationship))
  if (target?.is === 'resource' || target?.is === 'related') return renderOne(context)
  return renderRoot(context)
}

function renderOne(context: PageContext): Html {
  const { data } = context.document
  const { target } = context.found.route
  if (data === undefined || data === null || !('id' in data))
    return renderAbsent(context, target?.is === 'related' ? target.relationship.name : '')
  const resource = findType(context, data.type)
  return [
    renderResource(context, data),
    renderIncluded(context),
    resource && renderUpdateForm(context, resource, data),
    resource && renderDeleteForm(context, resource, data),
  ]
}

function formatTitle({ document, url }: BaseContext, { status }: PageDocument): string {
  const { data, errors } = document
  if (errors !== undefined) return `${status} ${errors[0]?.title ?? ''}`
  const label = data !== undefined && data !== null && 'id' in data ? findLabel(data) : undefined
  return label === undefined ? url.path : `${label} · ${url.path}`
}
