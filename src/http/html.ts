import type { AppContext } from '../endpoints/app-context.ts'
import type { ApiResponse } from '../endpoints/handler.ts'
import type { Route } from '../endpoints/route-table.ts'
import type { Awaitable } from '../model/declare/hooks.ts'
import { prefersHtml } from '../parse/negotiate.ts'
import type { DocumentText } from '../serialize/document.ts'

/** A request whose route has responded. */
export interface RoutedRequest {
  readonly context: AppContext
  readonly route: Route
  /** The id in the path, decoded; empty for a path without an id. */
  readonly id: string
  /** The auth context. */
  readonly auth: unknown
  /** The challenge with which `authenticate` has rejected a request for the landing page; `undefined` if it has accepted it. */
  readonly challenge: string | undefined
  /** Returns a signal that aborts when the client disconnects. */
  readonly signal: () => AbortSignal
}

/** The request of a page. */
export interface PageRequest {
  /** The beginning of every path; may be empty. */
  readonly prefix: string
  /** The request target: the path and the query string, as sent. */
  readonly target: string
  /** Scheme and host of absolute links; `undefined` if the request has no valid host. */
  readonly origin: string | undefined
  /** `undefined` for an error. */
  readonly routed: RoutedRequest | undefined
}

/** A JSON:API document that is shown as a page. */
export interface PageDocument {
  readonly status: number
  /** The text of the document; `undefined` if it is longer than `maxPageLength`. */
  readonly text: string | undefined
  /** How requests are authenticated (RFC 9110, `WWW-Authenticate`); `undefined` unless the response is 401. */
  readonly challenge: string | undefined
  /** The links to descriptions (RFC 8288, `Link`); `undefined` if the response has none. */
  readonly link: string | undefined
  /** The version of the resource, or of the members of a relationship, which the forms of the page send; `undefined` without one. */
  readonly version: string | undefined
}

/**
 * Renders the responses to browsers as pages, and serves the files that the pages need. `createPages` of `lapidary/html`
 * creates one.
 */
export interface HtmlPages {
  /**
   * The routes of stylesheets, scripts and the like. Their paths contain a dot, so no resource type can have them.
   * @internal
   */
  readonly routes: readonly Route[]
  /**
   * Renders a document.
   * @internal
   */
  render(document: PageDocument, request: PageRequest): Awaitable<RenderedPage>
}

/** A page, and header fields such as `content-security-policy`. */
interface RenderedPage {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The longest document that is shown as a page, in UTF-16 code units. A page is built in one piece, while other requests wait. */
const maxPageLength = 2 * 1024 * 1024

/** True if a page answers the request: a GET or HEAD of a client that prefers HTML. */
export function wantsPage(method: string, accept: string | undefined): boolean {
  return (method === 'GET' || method === 'HEAD') && prefersHtml(accept)
}

/**
 * Renders a response as a page. A response that is not a JSON:API document, e.g. a stylesheet, is returned as it is.
 * @throws the error of a stream that fails
 */
export async function toPage(
  html: HtmlPages,
  response: ApiResponse,
  request: PageRequest,
): Promise<ApiResponse> {
  if (response.headers?.['content-type'] !== undefined) return response
  const text = await collect(response.body)
  const { status, version } = response
  const { 'www-authenticate': challenge, link } = response.headers ?? {}
  const { headers, body } = await html.render({ status, text, challenge, link, version }, request)
  return { status, headers: { ...response.headers, ...headers }, body }
}

/** Collects a document. A stream that is too long ends, which releases its connection. */
async function collect(body: DocumentText): Promise<string | undefined> {
  if (typeof body === 'string') return body.length > maxPageLength ? undefined : body
  let text = ''
  for await (const chunk of body) {
    text += chunk
    if (text.length > maxPageLength) return undefined
  }
  return text
}
