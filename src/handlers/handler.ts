import type { LifecycleContext } from '../lifecycle/context.ts'
import type { DocumentSerializer, DocumentText } from '../serialize/document.ts'

/** The dependencies of every handler, created once at startup. */
export interface AppContext extends LifecycleContext {
  readonly serializer: DocumentSerializer
  /** The beginning of every path, e.g. `/api`; may be empty. */
  readonly prefix: string
  /** Members of `meta` in the root document. */
  readonly rootMeta: Readonly<Record<string, unknown>>
}

/** The parts of an HTTP request that handlers use. */
export interface ApiRequest {
  /** The id in the path, as sent; empty for a path without an id. */
  readonly id: string
  /** The auth context: the value that `authenticate` returned; `undefined` without `authenticate`. */
  readonly auth: unknown
  /** The query string without its `?`, as sent. */
  readonly search: string
  readonly body: Uint8Array
  /** Scheme and host of absolute links. */
  readonly origin: string
  /** Aborts when the client disconnects before the response is sent; created on the first call. */
  readonly signal: () => AbortSignal
}

/** A successful response; errors are thrown. */
export interface ApiResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: DocumentText
}

/** Processes the requests of one endpoint: parse, plan, execute, serialize. */
export type Handler = (request: ApiRequest, context: AppContext) => Promise<ApiResponse>
