import type { Awaitable } from '../model/hooks.ts'
import type { RequestContext } from '../model/request-context.ts'
import type { DocumentText } from '../serialize/document.ts'
import type { AppContext } from './app-context.ts'

/** The parts of an HTTP request that handlers use. */
export interface ApiRequest extends RequestContext {
  /** The id in the path, as sent; empty for a path without an id. */
  readonly id: string
  /** The query string without its `?`, as sent. */
  readonly search: string
  readonly body: Uint8Array
  /** Scheme and host of absolute links. */
  readonly origin: string
}

/** A successful response; errors are thrown. */
export interface ApiResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: DocumentText
}

/** Processes the requests of one endpoint: parse, plan, execute, serialize. */
export type Handler = (request: ApiRequest, context: AppContext) => Awaitable<ApiResponse>
