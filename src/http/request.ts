import type { Awaitable } from '../model/declare/hooks.ts'
import type { Logger } from '../model/declare/request-context.ts'
import type { ObservedRequest } from '../observe/events.ts'
import type { DocumentText } from '../serialize/document.ts'

/** Processes a body. A large one counts as processed until the returned promise is settled. */
export type ProcessBody<Result> = (body: Uint8Array) => Awaitable<Result>

/** A request as the adapters pass it on, whatever the library that received it. */
export interface HttpRequest {
  readonly method: string
  /** The request target: the path and the query string, as sent. */
  readonly target: string
  /** Returns a header field by its name in lower case. */
  readonly header: (name: string) => string | undefined
  /** True if the request has a body of at least one byte. */
  readonly hasBody: boolean
  /** The host of absolute links; `undefined` when the request has none. */
  readonly host: string | undefined
  /** `http` or `https`. */
  readonly protocol: string
  /** The version of HTTP, e.g. `1.1`; absent if the host does not know it. */
  readonly httpVersion?: string
  readonly requestId: string | undefined
  readonly ip: string | undefined
  readonly log: Logger
  /** Returns a signal that aborts when the client disconnects before the response is sent; created on the first call. */
  readonly signal: () => AbortSignal
  /** True once the client has disconnected. */
  readonly isDisconnected: () => boolean
  /** Returns the auth context, or a promise of it. Called once, before the body is read. Absent if nobody is authenticated. */
  readonly authenticate?: (() => unknown) | undefined
  /** True if the host has authenticated the request, whether or not the mount authenticates requests. */
  readonly isAuthenticated?: boolean
  /** What is published of it; absent while nobody listens. */
  observed?: ObservedRequest
  /** Reads the body and processes it. @throws BodyError `body_too_large` (413) beyond the largest size */
  readonly processBody: <Result>(process: ProcessBody<Result>) => Promise<Result>
}

/** A response as the adapters send it. */
export interface HttpResponse {
  readonly status: number
  /** Complete, except for what the host has set: `keepHostFields`. */
  readonly headers: Readonly<Record<string, string>>
  /** A stream has begun and must be read to its end, or ended by `return`. `undefined` for a response without a body. */
  readonly body: DocumentText | Uint8Array | undefined
}
