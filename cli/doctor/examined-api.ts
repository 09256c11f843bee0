import { createApi, createHandler } from 'lapidary'
import type { OpenedSource } from '../open-source.ts'

/** A resource identifier. */
export interface Identifier {
  readonly type: string
  readonly id: string
}

/** A resource of a document. Its members are as the API sends them: a check looks for those that are missing. */
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

/** A document of the API. */
export interface ExaminedDocument {
  readonly data?: ExaminedResource | readonly ExaminedResource[] | null
  readonly included?: readonly ExaminedResource[]
  readonly links?: Readonly<Record<string, string | null | undefined>>
  readonly meta?: Readonly<{
    count?: number
    resources?: Readonly<Record<string, Omit<ExaminedType, 'type'>>>
  }>
  readonly errors?: readonly Readonly<{ code?: string; detail?: string }>[]
}

/** An answer of the API; a text that is no JSON gives no document. */
export interface Answer {
  readonly status: number
  readonly document: ExaminedDocument
}

/** A resource type of the API. */
export interface ExaminedType {
  readonly type: string
  readonly path: string
  /** The related types by the names of the relationships. */
  readonly relationships: Readonly<Record<string, string>>
}

/** The API that is examined: over HTTP, or that of declarations, in process. It only reads. */
export interface ExaminedApi {
  /** Sends a GET request. @param url - a path, or a URL of a link */
  get(url: string): Promise<Answer>
  readonly types: readonly ExaminedType[]
  /** The declarations, and calls in process; absent for an API over HTTP. */
  readonly declared?: Readonly<
    OpenedSource & { client: ReturnType<ReturnType<typeof createApi>['with']> }
  >
}

const headers = { accept: 'application/vnd.api+json' }

/** Examines an API over HTTP. @param url - its address, with its prefix */
export async function connectApi(url: string): Promise<ExaminedApi> {
  const base = url.replace(/\/+$/, '')
  const get = async (path: string) =>
    readAnswer(await fetch(new URL(path, `${base}/`), { headers }))
  return { get, types: await readTypes(get, `${base}/`) }
}

/** Examines the API of declarations, without a port. @param auth - the auth context of all requests */
export async function serveInProcess(source: OpenedSource, auth: unknown): Promise<ExaminedApi> {
  const { model, store } = source
  const handle = createHandler({ model, store })
  const get = async (path: string) => {
    const request = new Request(new URL(path, 'http://localhost'), { headers })
    return readAnswer(await handle(request, { auth }))
  }
  const client = createApi({ model, store }).with({ auth })
  return { get, types: await readTypes(get, '/'), declared: { ...source, client } }
}

async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  try {
    return { status: response.status, document: JSON.parse(text) }
  } catch {
    return { status: response.status, document: {} }
  }
}

async function readTypes(get: ExaminedApi['get'], url: string): Promise<ExaminedType[]> {
  const { status, document } = await get(url)
  const resources = document.meta?.resources
  if (status !== 200 || resources === undefined)
    throw new Error(`${url} has no root document with resources; its status is ${status}`)
  return Object.entries(resources).map(([type, { path, relationships = {} }]) => {
    return { type, path, relationships }
  })
}
