import type { IfMatch } from '../model/declare/if-match.ts'
import { formatIfMatch } from '../model/declare/if-match.ts'
import { formatRestrictions, type WriteRestrictions } from '../model/declare/restricted-writes.ts'
import { isObject, parseExactJson, serializeJson, toJsonValue } from '../model/kinds/json.ts'
import { mediaType } from '../model/media-types.ts'
import {
  type ErrorObject,
  type FailedResponse,
  PreconditionFailedError,
  ResponseError,
} from './response-error.ts'

const formType = 'application/x-www-form-urlencoded'

/** Header fields by name. */
export type HeaderFields = Readonly<Record<string, string>>

/** The options of a call. */
export interface CallOptions {
  /** Cancels the call: it rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
  /** Header fields of this request, in addition to those of the client. */
  readonly headers?: HeaderFields | undefined
  /**
   * What a write depends on: the version of what it changes, or an object that was read with `withVersions: true`; `*` for any
   * version. If it is another one, the call throws `PreconditionFailedError`, and nothing is written.
   */
  readonly ifMatch?: IfMatch | undefined
  /**
   * A key with which a write may be repeated, such as `crypto.randomUUID()`: a call with the same arguments and key gets the result of the
   * first one, and writes nothing.
   */
  readonly idempotencyKey?: string | undefined
}

/** The options of a write. */
export interface WriteCallOptions<Dry extends boolean = false>
  extends CallOptions,
    WriteRestrictions<Dry> {}

/** The options of the requests of a client. */
export interface TransportOptions {
  /** Sends requests. Default: the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** Header fields of every request, or a function that returns them, e.g. with a token that is renewed. */
  readonly headers?: HeaderFields | (() => HeaderFields | Promise<HeaderFields>) | undefined
}

/** A request of a client. */
interface ClientRequest extends WriteCallOptions<boolean> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'QUERY'
  readonly url: string
  /** The document to send. */
  readonly body?: unknown
  /** The media type of the documents. Default: that of JSON:API, without extensions. */
  readonly mediaType?: string
  /** The query string of a QUERY, instead of a document. */
  readonly query?: string
}

/** A JSON:API document, not checked further than that it is an object. */
export type ResponseDocument = Readonly<Record<string, unknown>>

/** Sends requests and reads the documents of their responses. */
export type Send = (request: ClientRequest) => Promise<ResponseDocument>

/**
 * Checks what a program without types may misspell: without `ifMatch`, a write would have no condition, and without `headers` no token.
 * @param names - of the options, separated by commas
 * @throws TypeError
 */
export function checkNames(where: string, options: object, names: string): void {
  for (const name in options)
    if (!names.split(', ').includes(name))
      throw new TypeError(`${where}.${name}: there is no such option; the options are ${names}.`)
}

/** Creates the function that sends the requests of a client. */
export function createSend({ fetch, headers: clientHeaders }: TransportOptions): Send {
  return async (request) => {
    const { method, url, body, query, mediaType: accept = mediaType, ...options } = request
    const { signal = null, headers, ifMatch, idempotencyKey } = options
    checkNames('options', options, 'signal, headers, ifMatch, idempotencyKey, dryRun, maxAffected')
    const condition = formatIfMatch(ifMatch)
    const prefer = formatRestrictions(request)
    const common = typeof clientHeaders === 'function' ? await clientHeaders() : clientHeaders
    // Also of a POST without a document: the call of an action without parameters.
    const isWrite = body !== undefined || method === 'POST'
    const type = query === undefined ? accept : formType
    const content = (isWrite || query !== undefined) && { 'content-type': type }
    const init = {
      method,
      headers: {
        accept,
        ...content,
        ...common,
        ...headers,
        ...(condition && { 'if-match': condition }),
        ...(prefer && { prefer }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': JSON.stringify(idempotencyKey) }),
      },
      body: body === undefined ? (query ?? null) : serializeJson(toJsonValue(body, 'The fields')),
      signal,
    }
    // Called without an object: browsers reject a `fetch` that is called as a method of another one.
    const response = await (fetch ?? globalThis.fetch)(url, init)
    return readDocument(request, response)
  }
}

/** @throws ResponseError for an error, and for a response that is not a JSON:API document */
async function readDocument(request: ClientRequest, response: Response): Promise<ResponseDocument> {
  const { status, headers, ok } = response
  const { method, url, signal } = request
  const failed: FailedResponse = { method, url, status, headers, errors: [] }
  const text = await response.text().catch((cause: unknown) => {
    signal?.throwIfAborted()
    throw new ResponseError(failed, 'the response ended before it was complete', { cause })
  })
  if (ok && text === '') return {}
  const document = parseDocument(text, failed)
  if (ok) return document
  const errors = Array.isArray(document.errors) ? document.errors.filter(isErrorObject) : []
  const problem = errors.map(({ title, detail }) => detail ?? title).join(' ')
  const Failure = status === 412 ? PreconditionFailedError : ResponseError
  throw new Failure({ ...failed, errors }, problem || 'without a description of the error')
}

function parseDocument(text: string, failed: FailedResponse): ResponseDocument {
  const type = failed.headers.get('content-type') ?? 'no media type'
  const start = JSON.stringify(text.slice(0, 100))
  try {
    const document = parseExactJson(text)
    if (isObject(document)) return document
  } catch (cause) {
    const reason = cause instanceof Error ? ` (${cause.message})` : ''
    const problem = /\bjson\b/.test(type) ? `which is not valid JSON${reason}` : 'not JSON:API'
    throw new ResponseError(failed, `the response has ${type}, ${problem}: ${start}`, { cause })
  }
  throw new ResponseError(failed, `the response is not a JSON:API document: ${start}`)
}

function isErrorObject(value: unknown): value is ErrorObject {
  return isObject(value)
}
