import { createApi, createHandler } from 'lapidary'
import type { OpenedSource } from '../open-source.ts'
import { type FindDescribedType, readDescription } from './api-description.ts'
import { createDescriptionCheck, type FindDifferences } from './exchange/check-description.ts'
import { type Exchange, mediaType } from './exchange/parse-exchange.ts'

/** A resource identifier. */
export interface Identifier {
  readonly type: string
  readonly id: string
}

/** A resource of a document, as the API sends it. Members may be missing, which checks report. */
export interface ExaminedResource extends Identifier {
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly relationships?: Readonly<
    Record<
      string,
      Readonly<{
        links?: Readonly<Record<string, string>>
        data?: Identifier | readonly Identifier[] | null
      }>
    >
  >
  readonly links?: Readonly<{ self?: string }>
}

/** A resource type in the root document. */
interface DescribedResources {
  readonly path: string
  readonly relationships?: Readonly<Record<string, string>>
  readonly parameters?: Readonly<Record<string, Readonly<{ required?: boolean }>>>
}

/** A document of the API. */
export interface ExaminedDocument {
  readonly data?: ExaminedResource | readonly ExaminedResource[] | null
  readonly included?: readonly ExaminedResource[]
  readonly links?: Readonly<Record<string, string | null | undefined>>
  readonly meta?: Readonly<{
    count?: number
    resources?: Readonly<Record<string, DescribedResources>>
  }>
  readonly errors?: readonly Readonly<{ status?: string; code?: string; detail?: string }>[]
}

/** A response of the API. It has no document if its text is not JSON. */
export interface ExaminedResponse {
  readonly status: number
  readonly contentType: string | null
  readonly document: ExaminedDocument
  /** The response as it was received. */
  readonly exchange: Exchange
}

/** A resource type of the API. */
export interface ExaminedType {
  readonly type: string
  readonly path: string
  /** The related types by the names of the relationships. */
  readonly relationships: Readonly<Record<string, string>>
  /** The names of the parameters without which the list is an error. */
  readonly needed: readonly string[]
}

/** The API that is examined: over HTTP, or that of declarations, in process. It only reads. */
export interface ExaminedApi {
  /** Sends a GET request. @param url - a path, or a URL of a link. @param accept - default: the media type of JSON:API */
  get(url: string, accept?: string): Promise<ExaminedResponse>
  /** The origins of links, other than that of the API. Their paths are requested from the API. */
  readonly otherOrigins: ReadonlySet<string>
  readonly types: readonly ExaminedType[]
  /** `undefined` for an API that does not describe itself. */
  readonly describe: FindDescribedType | undefined
  /** Compares exchanges with the description of an API over HTTP. Of declarations `declared` has the kinds, which say more. */
  readonly findDifferences?: FindDifferences | undefined
  /** The declarations, and calls in process; absent for an API over HTTP. */
  readonly declared?: Readonly<
    OpenedSource & { client: ReturnType<ReturnType<typeof createApi>['with']> }
  >
}

/**
 * Examines an API over HTTP. Every request goes to its origin: neither a link nor a redirection leads header fields, which may be
 * credentials, to another host.
 * @param url - its address, with its prefix
 * @param headers - header fields of every request, such as `authorization`
 * @throws Error if its links have another prefix: they lead no client to its resources
 */
export async function connectApi(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<ExaminedApi> {
  const base = url.replace(/\/+$/, '')
  const { origin, pathname } = new URL(base)
  const prefix = pathname.replace(/\/$/, '')
  const otherOrigins = new Set<string>()
  const get = async (path: string, accept = mediaType) => {
    const link = new URL(path, `${base}/`)
    if (link.origin !== origin) otherOrigins.add(link.origin)
    const address = origin + link.pathname + link.search
    const init = { headers: { ...headers, accept }, redirect: 'manual' } as const
    const response = await fetch(address, init).catch((error: unknown) => {
      throw new Error(`${origin} cannot be reached: ${findReason(error)}`, { cause: error })
    })
    return readResponse(address, response)
  }
  const types = await readTypes(get, `${base}/`)
  const moved = types.find(({ path }) => !new URL(path, origin).pathname.startsWith(`${prefix}/`))
  if (moved !== undefined)
    throw new Error(
      `the links of ${base} lead to ${moved.path}, without ${prefix}, because a proxy changes the path; give the server the prefix ${prefix}, or examine it without the proxy`,
    )
  const describe = await readDescription(get, prefix)
  if (describe === undefined) return { get, types, otherOrigins, describe }
  const { document } = await get(`${prefix}/openapi.json`)
  const findDifferences = createDescriptionCheck(document, prefix, false)
  return { get, types, otherOrigins, describe, findDifferences }
}

/** Finds what `fetch` says only in the cause of its error, e.g. that the connection was refused. */
function findReason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  // An error of several addresses, such as those of localhost, has a code and no message.
  return cause instanceof Error
    ? cause.message || String(Reflect.get(cause, 'code'))
    : 'no response'
}

/** Examines the API of declarations, without a port. @param auth - the auth context of all requests */
export async function serveInProcess(source: OpenedSource, auth: unknown): Promise<ExaminedApi> {
  const { model, store } = source
  const handle = createHandler({ model, store, openapi: true })
  const get = async (path: string, accept = mediaType) => {
    const request = new Request(new URL(path, 'http://localhost'), { headers: { accept } })
    return readResponse(request.url, await handle(request, { auth }))
  }
  const client = createApi({ model, store }).with({ auth })
  const [types, describe] = [await readTypes(get, '/'), await readDescription(get, '')]
  return { get, types, describe, otherOrigins: new Set(), declared: { ...source, client } }
}

async function readResponse(url: string, response: Response): Promise<ExaminedResponse> {
  const { status } = response
  const headers = Object.fromEntries(response.headers)
  const contentType = response.headers.get('content-type')
  const text = await response.text()
  const exchange = { method: 'GET', url, sent: '', status, headers, text }
  try {
    return { status, contentType, exchange, document: JSON.parse(text, keepDigits) }
  } catch {
    return { status, contentType, exchange, document: {} }
  }
}

/** Keeps the text of an integer that is not exact as a number of JavaScript, so that it is sent back unchanged. */
function keepDigits(
  _name: string,
  value: unknown,
  context?: { readonly source?: string },
): unknown {
  const source = context?.source
  const isExact =
    typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)
  return isExact || source === undefined ? value : Reflect.get(JSON, 'rawJSON')(source)
}

function findRemedy(status: number): string {
  return status === 401 || status === 403
    ? "send credentials, e.g. --header 'authorization: Bearer …'"
    : 'name the address that lists the resources, e.g. https://example.com/api'
}

async function readTypes(get: ExaminedApi['get'], url: string): Promise<ExaminedType[]> {
  const { status, document } = await get(url)
  const resources = document.meta?.resources
  if (status !== 200 || resources === undefined)
    throw new Error(
      `${url} has no root document with resources; its status is ${status}; ${findRemedy(status)}`,
    )
  return Object.entries(resources).map(([type, about]) => {
    const { path, relationships = {}, parameters = {} } = about
    const needed = Object.keys(parameters).filter((name) => parameters[name]?.required)
    return { type, path, relationships, needed }
  })
}
