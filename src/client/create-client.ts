import {
  type FieldInput,
  formatMembers,
  formatResource,
  parseChange,
} from '../parse/format-document.ts'
import { formatQuery, type QueryInput } from '../parse/format-query.ts'
import { createBatchSender } from './atomic.ts'
import type { DeclarationSource, HttpClient, SourceDeclarations } from './http-client.ts'
import { addIncluded, linkResources } from './link-resources.ts'
import { betweenCursors, findNext, readList } from './read-list.ts'
import { omitMessage, readWrite } from './read-write.ts'
import { createLocationFinder, type LocationFinder, type RootDocument } from './root-document.ts'
import {
  type CallOptions,
  checkNames,
  createSend,
  type ResponseDocument,
  type Send,
  type TransportOptions,
  type WriteCallOptions,
} from './transport.ts'

/** The options of `createClient`. */
export interface ClientOptions extends TransportOptions {
  /** The address of the API: scheme, host and prefix, e.g. `https://example.org/api`. */
  readonly url: string | URL
  /**
   * The root document of the API, which has the paths and the relationships of the resource types. Default: the client reads it
   * before its first request.
   */
  readonly root?: RootDocument | undefined
}

/** A page of a list, without the types that follow from the declarations. */
interface UntypedPage {
  readonly data: readonly unknown[]
  readonly meta: unknown
  readonly links: Readonly<Record<string, unknown>>
}

/** What the operations of a client share. */
interface ClientContext {
  readonly send: Send
  readonly find: LocationFinder
}

/**
 * Creates a client of an API over HTTP. It sends requests with `fetch`, so it works in browsers, Node.js, Bun and Deno.
 *
 * @typeParam Source - the type of the API or of its model: `createClient<typeof api>({ url })`
 * @returns an object with the operations on each resource type, e.g. `client.person.list()`
 * @throws TypeError for an unknown option, and without an address
 */
export function createClient<Source extends DeclarationSource = DeclarationSource>(
  options: ClientOptions,
): HttpClient<SourceDeclarations<Source>> {
  checkNames('createClient', options, 'url, headers, fetch, root')
  if (!options.url) throw new TypeError('createClient.url: must be the address of the API.')
  const url = String(options.url).replace(/\/+$/, '')
  const send = createSend(options)
  const context = { send, find: createLocationFinder(url, send, options.root) }
  const operations = new Map<string | symbol, object>()
  const client = new Proxy(Object.freeze({}), {
    get: (_, type) => {
      // A client that has `then` would be taken for a promise.
      if (typeof type !== 'string' || type === 'then') return undefined
      const known = operations.get(type)
      if (known) return known
      const own = createOperations(type, context)
      // A function may have the operations of a type of this name, too.
      const created =
        type === 'atomic' ? Object.assign(createBatchSender(url, send, context.find), own) : own
      operations.set(type, created)
      return created
    },
  })
  // The declarations give the types of the operations; at run time a name is enough.
  return client as HttpClient<SourceDeclarations<Source>>
}

/** Formats the URLs of a resource type, and the requests to them. */
interface Endpoint extends ClientContext {
  readonly type: string
  /** Returns the URL of the collection, of a resource, or of a path below it. */
  readonly locate: (...segments: readonly string[]) => Promise<string>
  /** Formats a query string with its `?`; empty for none. @param of - the type of the primary data */
  readonly format: (query: QueryInput | undefined, of?: string) => Promise<string>
}

type UntypedWriteOptions = WriteCallOptions<boolean>

/** Creates the operations on a resource type. */
function createOperations(type: string, context: ClientContext): object {
  const { find } = context
  const endpoint: Endpoint = {
    ...context,
    type,
    locate: async (...segments) =>
      [(await find(type)).url, ...segments.map(encodeSegment)].join('/'),
    format: async (query, of = type) => {
      const search = formatQuery(await addIncluded(query, of, find))
      return search && `?${search}`
    },
  }
  return { ...createReads(endpoint), ...createWrites(endpoint), ...createCalls(endpoint) }
}

/** @throws TypeError for a text that is not a segment of a URL: URL parsers resolve `.` and `..` */
function encodeSegment(text: string): string {
  if (['', '.', '..'].includes(text))
    throw new TypeError(`${JSON.stringify(text)} cannot be an id in a URL.`)
  return encodeURIComponent(text)
}

function createReads({ type, send, find, locate, format }: Endpoint) {
  const readPages = async function* (query?: QueryInput, options?: CallOptions) {
    const url = await locate()
    let search = await format(betweenCursors(query))
    while (true) {
      const page = toPage(await readList(send, url, search, options))
      yield page
      const next = findNext(page, url, search)
      if (next === undefined) return
      search = next
    }
  }
  return {
    pages: readPages,
    list: async (query?: QueryInput, options?: CallOptions) => {
      return toPage(await readList(send, await locate(), await format(query), options))
    },
    each: async function* (query?: QueryInput, options?: CallOptions) {
      const uncounted = betweenCursors(query, { total: 'none' })
      for await (const { data } of readPages(uncounted, options)) yield* data
    },
    get: async (id: string, query?: QueryInput, options?: CallOptions) => {
      const url = (await locate(id)) + (await format(query))
      return linkResources(await send({ ...options, method: 'GET', url }))
    },
    related: async (id: string, name: string, query?: QueryInput, options?: CallOptions) => {
      const to = (await find(type)).relatedType(name)
      const document = await readList(
        send,
        await locate(id, name),
        await format(query, to),
        options,
      )
      return Array.isArray(document.data) ? toPage(document) : linkResources(document)
    },
  }
}

function createWrites({ type, send, find, locate, format }: Endpoint) {
  return {
    create: async (fields: FieldInput, query?: QueryInput, options?: UntypedWriteOptions) => {
      const url = (await locate()) + (await format(query))
      const body = formatResource(await find(type), fields)
      const document = await send({ ...options, method: 'POST', url, body })
      return readWrite(document, options, linkResources)
    },
    update: async (
      id: string,
      fields: FieldInput,
      query?: QueryInput,
      options?: UntypedWriteOptions,
    ) => {
      const url = (await locate(id)) + (await format(query))
      const body = formatResource(await find(type), fields, id)
      const document = await send({ ...options, method: 'PATCH', url, body })
      return readWrite(document, options, linkResources)
    },
    remove: async (id: string, options?: UntypedWriteOptions) => {
      const document = await send({ ...options, method: 'DELETE', url: await locate(id) })
      return readWrite(document, options, returnNothing)
    },
    relate: async (id: string, name: string, change: FieldInput, options?: UntypedWriteOptions) => {
      const [kind, members] = parseChange(change)
      const to = (await find(type)).relatedType(name) ?? name
      const url = await locate(id, 'relationships', name)
      const body = formatMembers(kind, members, to)
      const document = await send({ ...options, method: methods[kind], url, body })
      return readWrite(document, options, returnNothing)
    },
  }
}

const returnNothing = (): void => {}

/** What a call of an action sends. */
interface UntypedCall extends QueryInput {
  readonly id?: string
  readonly parameters?: Readonly<Record<string, unknown>>
}

function createCalls({ send, locate }: Endpoint) {
  return {
    call: async (
      action: string,
      { id, parameters = {}, ...query }: UntypedCall = {},
      options?: UntypedWriteOptions,
    ) => {
      const path = ['actions', action]
      const url = await (id === undefined ? locate(...path) : locate(id, ...path))
      const search = formatQuery(query)
      const document = await send({
        ...options,
        method: 'POST',
        url: url + (search && `?${search}`),
        body: { meta: parameters },
      })
      return readWrite(document, options, readCall)
    },
  }
}

/** Reads what an action returns. */
function readCall(document: ResponseDocument): unknown {
  if (Array.isArray(document.data)) return toPage(document)
  return 'data' in document ? linkResources(document) : omitMessage(document.meta)
}

/** The method of a change of a relationship: https://jsonapi.org/format/1.0/#crud-updating-relationships */
const methods = { add: 'POST', remove: 'DELETE', replace: 'PATCH' } as const

function toPage(document: ResponseDocument): UntypedPage {
  const { meta = {}, links = {} } = document as Partial<UntypedPage>
  const data = linkResources(document)
  return { data: Array.isArray(data) ? data : [], meta, links }
}
