import type { Awaitable } from '../model/declare/hooks.ts'
import type { Logger, RequestContext } from '../model/declare/request-context.ts'
import type { RequestBody } from '../parse/body.ts'
import type { ConditionFields } from '../parse/entity-tags.ts'
import type { IdempotencyKey } from '../parse/idempotency-key.ts'
import type { InsertedId } from '../parse/local-ids.ts'
import type { Preferences } from '../parse/prefer.ts'
import type { Writer } from '../plan/write-rights.ts'
import type { DocumentText } from '../serialize/document.ts'
import type { AppContext } from './app-context.ts'
import type { Revalidation } from './known-tags.ts'

/** The time until which a client waits for the response to its request. */
export interface Deadline {
  /** @throws an error that ends the request if it has passed */
  check(): void
}

/** The parts of an HTTP request that handlers use. */
export interface ApiRequest extends RequestContext {
  /** The id in the path, without percent-encoding; empty for a path without an id. */
  readonly id: string
  /** Whose id it is, of a resource that another operation of the same request will insert; `id` stands for it then. */
  readonly inserted?: InsertedId
  /** The local id by which an operation names that resource, also once it has an id: that is rolled back with the batch. */
  readonly lid?: string
  /** The query string without its `?`, as sent. */
  readonly search: string
  /** True if no URL can have the query, which was sent as the body of a QUERY: the document has no links that repeat it. */
  readonly isLong?: boolean
  /** The bytes of the body as sent; in process, the document itself; of an operation in a batch, the document and its local ids. */
  readonly body: RequestBody
  /** Scheme and host of absolute links. */
  readonly origin: string
  /** The path of the description that the document links; absent for none, and in JSON:API 1.0, whose documents have no such link. */
  readonly describedBy?: string
  /** What the request demands of the present state, as sent. */
  readonly conditions?: ConditionFields
  /** True for a part of a larger write, such as what an action writes: it needs no condition where the type requires one. */
  readonly isPart?: boolean
  /** Which document the client of a read has; absent if it says nothing of it. */
  readonly revalidation?: Revalidation
  /** The key of a write that may be repeated; absent for a write without one. */
  readonly idempotency?: IdempotencyKey
  /** What the client prefers; absent without `Prefer`. */
  readonly preferences?: Preferences
  /** Until when its client waits; absent if the client does not say it. */
  readonly deadline?: Deadline
  /** Who has made the document. Default: a client. */
  readonly writer?: Writer
}

/** A successful response; errors are thrown. */
export interface ApiResponse<Body = DocumentText> {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Body
  /** How long a cache may reuse the document, without `private`; absent or null: it asks whether it is current. */
  readonly cacheControl?: string | null
  /** The media type of the document. Default: that of JSON:API, without parameters. */
  readonly mediaType?: string | undefined
  /** The version of the resource, or of the members of a relationship, that the document shows; absent if it has none. */
  readonly version?: string | undefined
  /** Receives the entity tag of the document; absent if nobody remembers it. */
  readonly onTag?: (etag: string) => void
}

/** Processes the requests of a route over HTTP. */
export type RouteHandler = (request: ApiRequest, context: AppContext) => Awaitable<ApiResponse>

const ignore = (): void => {}

/** A logger for reads that are not requests of a client: it writes nothing. */
export const silentLogger: Logger = {
  ...{ trace: ignore, debug: ignore, info: ignore },
  ...{ warn: ignore, error: ignore, fatal: ignore },
}
