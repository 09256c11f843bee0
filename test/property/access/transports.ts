import { type Client, createHandler, ManyErrors, type Store } from 'lapidary'
import { createPages } from 'lapidary/html'
import { silentLogger } from '../../../src/endpoints/handler.ts'
import { atomicMediaType, mediaType } from '../../../src/model/media-types.ts'
import type { TestRequest } from './requests.ts'
import type { Identity } from './schema.ts'

/** Sends a request. @returns the status, the header fields and the body as one text */
export type Send = (request: TestRequest) => Promise<string>

/** Handles requests of the Fetch API, with pages and a description. */
type Handle = ReturnType<typeof createHandler>

/** Creates the handler of a store. */
export function createHandlerOf(store: Store): Handle {
  return createHandler({
    ...{ model: store.model, store, html: createPages(), openapi: { examples: 'rows' } },
    // A scenario may end while expired keys are deleted.
    log: silentLogger,
  })
}

/** Creates a function that sends requests to a handler. */
export function createSender(handle: Handle, identity: Identity | undefined): Send {
  return async ({ method, path, body, accept, prefer, key, ifMatch, ifNoneMatch }) => {
    const response = await handle(
      new Request(`http://localhost${path}`, {
        method,
        headers: {
          ...(accept !== undefined && { accept }),
          ...(prefer !== undefined && { prefer }),
          ...(key !== undefined && { 'idempotency-key': JSON.stringify(key) }),
          ...(ifMatch !== undefined && { 'if-match': ifMatch }),
          ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
          ...(body !== undefined && { 'content-type': typeOf(path) }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
      { auth: identity },
    )
    const headers = JSON.stringify([...response.headers])
    return `${response.status} ${headers} ${await response.text()}`
  }
}

function typeOf(path: string): string {
  return path.startsWith('/operations') ? atomicMediaType : mediaType
}

/** The calls of a client, without the types that follow from the declarations. */
interface Calls {
  list(type: string, query: object): Promise<unknown>
  get(type: string, id: string, query: object): Promise<unknown>
  create(type: string, fields: object, query: object): Promise<unknown>
  update(type: string, id: string, fields: object, query: object): Promise<unknown>
  remove(type: string, id: string, options: object): Promise<unknown>
  call(type: string, action: string, input: object): Promise<unknown>
  relate(
    type: string,
    id: string,
    relationship: string,
    change: object,
    options: object,
  ): Promise<unknown>
}

/**
 * Creates a function that makes the call in process which a request stands for: as documents, or as plain objects.
 * @returns a text like that of a response, or that of the error
 */
export function createCaller(client: Client, as: 'documents' | 'objects'): Send {
  // The names of the calls are random, so the types of the declarations do not help.
  const calls = (as === 'documents' ? client.documents : client) as unknown as Calls
  return async (request) => {
    try {
      const result = await call(calls, request)
      return `200 [] ${JSON.stringify(result)}`
    } catch (error) {
      return describeError(error)
    }
  }
}

/** Whether a request stands for a call in process. */
export function isCall({ method, path, accept, prefer, ...conditions }: TestRequest): boolean {
  const [, id, name, relationship] = pathOf(path)
  const hasCondition = (conditions.ifMatch ?? conditions.ifNoneMatch) !== undefined
  if (accept !== undefined || prefer !== undefined || hasCondition) return false
  return name === undefined || id === 'actions' || (relationship !== undefined && method !== 'GET')
}

function pathOf(path: string): string[] {
  return (path.split('?')[0] ?? '').split('/').slice(1)
}

function call(calls: Calls, { method, path, body, key }: TestRequest): Promise<unknown> {
  const [type = '', id, name = '', relationship] = pathOf(path)
  const options = key === undefined ? {} : { idempotencyKey: key }
  const query = { ...Object.fromEntries(new URLSearchParams(path.split('?')[1])), ...options }
  const { data, meta: parameters } = (body ?? {}) as { data?: unknown; meta?: object }
  if (id === 'actions') return calls.call(type, name, { parameters, ...query })
  if (name === 'actions' && relationship !== undefined)
    return calls.call(type, relationship, { id, parameters, ...query })
  if (id === undefined)
    return method === 'GET'
      ? calls.list(type, query)
      : calls.create(type, toFields(data as Resource), query)
  if (relationship !== undefined) {
    const kind = { POST: 'add', PATCH: 'replace', DELETE: 'remove', GET: 'replace' }[method]
    return calls.relate(type, id, relationship, { [kind]: toLinkage(data) }, options)
  }
  if (method === 'GET') return calls.get(type, id, query)
  if (method === 'DELETE') return calls.remove(type, id, options)
  return calls.update(type, id, toFields({ ...(data as Resource), id: undefined }), query)
}

/** The resource of a body. */
interface Resource {
  readonly id?: string | undefined
  readonly attributes?: object
  readonly relationships?: Readonly<Record<string, { readonly data: unknown }>>
}

function toFields({ id, attributes, relationships = {} }: Resource): object {
  const links = Object.entries(relationships).map(([name, { data }]) => [name, toLinkage(data)])
  return { ...(id !== undefined && { id }), ...attributes, ...Object.fromEntries(links) }
}

function toLinkage(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(({ id }) => id)
  return data === null ? null : (data as { id: string }).id
}

function describeError(error: unknown): string {
  const errors = error instanceof ManyErrors ? error.errors : [error]
  const [first] = errors
  const status = first instanceof Error && 'status' in first ? first.status : 500
  const described = errors.map((each) =>
    each instanceof Error ? { ...each, message: each.message } : each,
  )
  return `${status} [] ${JSON.stringify(described)}`
}
