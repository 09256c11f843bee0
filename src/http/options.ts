import type { AppOptions } from '../endpoints/app-context.ts'
import { checkAppOptions } from '../endpoints/check-app-options.ts'
import {
  booleanCheck,
  type Check,
  isFunction,
  mustBe,
  optional,
} from '../model/check/option-checks.ts'
import { isLogger, logLevels } from '../model/declare/request-context.ts'
import { isObject } from '../model/kinds/json.ts'
import type { OpenApiOptions } from '../openapi/options.ts'
import { checkOpenApi } from '../openapi/options.ts'
import { allowedOriginsCheck } from './check-origin.ts'
import { credentialFieldsCheck } from './headers.ts'
import type { HtmlPages } from './html.ts'

/** The options of every adapter. */
export interface HttpOptions<Auth = unknown> extends AppOptions<Auth> {
  /** Scheme and host of absolute links, e.g. `https://api.example.org`. Default: those of the request. */
  readonly publicUrl?: string | undefined
  /**
   * The origins whose pages may write, e.g. `https://app.example`, in addition to the server's own: that of `publicUrl`, or the host of
   * the request. The server rejects the writes of other pages with 403 `foreign_origin`. Clients that are no browsers need no entry.
   * Default none.
   */
  readonly allowedOrigins?: readonly string[]
  /**
   * Further header fields that `authenticate` reads, e.g. `x-user`. With `authenticate`, responses have `Cache-Control: private` and `Vary`
   * with these, and with those of a function of `lapidary/auth`, or `Authorization` and `Cookie` for any other. Default none.
   */
  readonly credentialFields?: readonly string[]
  /** The largest body, in bytes. Default 1 MiB. */
  readonly maxBody?: number
  /**
   * Milliseconds. In a model that hides rows from some identities, by rules for `read`, a tenant or a session, a 404 is sent a multiple
   * of this time after the request was read, so that the response time does not show whether the row exists. Default 0: it is sent at
   * once.
   */
  readonly notFoundInterval?: number
  /**
   * True to read a `POST` with the header field `X-HTTP-Method-Override: QUERY` as a QUERY, for clients behind a proxy that does not know
   * this method. Default false.
   */
  readonly methodOverride?: boolean
  /**
   * Whether a browser without credentials, which `authenticate` rejects with 401, gets the landing page `GET {prefix}/` of `html`, with
   * the resource types that exist without an identity. Default true.
   */
  readonly publicRoot?: boolean
  /**
   * Whether responses have the header field `Server-Timing` with the durations of their parts: authentication, plan, database and
   * serialization; or a function of the auth context that says for whom. In a model that hides rows the durations are rounded up to 10 ms.
   * Default false.
   */
  readonly serverTiming?: boolean | ((auth: unknown) => boolean)
  /** Shows browsers a page at every address: `createPages()` of `lapidary/html`. Default: every client gets JSON. */
  readonly html?: HtmlPages | undefined
  /**
   * Whether `GET {prefix}/openapi.json` describes the API, and each resource type has a JSON Schema at its path with
   * `.schema.json`; or what the description says. Default false.
   */
  readonly openapi?: boolean | OpenApiOptions
}

/**
 * The options of an application, in which `authenticate` is required if `declare` has named an auth context that every request has.
 * Without it, hooks would get `undefined` instead. The other branch repeats the optional member: through the conditional type, the
 * compiler knows the auth context while it reads an `authenticate` with a parameter, and does not widen `role: 'admin'` to a string.
 */
export type WithAuthenticate<Options extends Readonly<{ authenticate?: unknown }>, Auth> = Options &
  (undefined extends Auth ? Pick<Options, 'authenticate'> : Required<Pick<Options, 'authenticate'>>)

/** The default of `maxBody`, in bytes. */
export const defaultMaxBody = 1024 * 1024

const count = mustBe(
  'a whole number from 1',
  (value) => Number.isSafeInteger(value) && Number(value) > 0,
)

const isInterval = (value: unknown): boolean =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= 10_000

/** The checks of the options of every adapter. */
const commonChecks: Readonly<Record<string, Check>> = {
  allowedOrigins: optional(allowedOriginsCheck),
  credentialFields: optional(credentialFieldsCheck),
  maxBody: optional(count),
  notFoundInterval: optional(mustBe('a whole number from 0 to 10,000', isInterval)),
  methodOverride: optional(booleanCheck),
  publicRoot: optional(booleanCheck),
  serverTiming: optional(mustBe('a boolean, or a function of the auth context', isTimingOption)),
  openapi: optional(checkOpenApi),
  authenticate: optional(mustBe('a function of the request', isFunction)),
  html: optional(mustBe('the result of createPages', isHtmlPages)),
}

function isHtmlPages(value: unknown): boolean {
  return isObject(value) && isFunction(value.render)
}

function isTimingOption(value: unknown): boolean {
  return typeof value === 'boolean' || isFunction(value)
}

/** Accepts every value: for options that Fastify or the adapter checks itself. */
export const anyValue: Check = () => []
/** Checks an option that is a logger. */
export const optionalLogger: Check = optional(
  mustBe(`a logger with the methods ${logLevels.join(', ')}`, isLogger),
)
/** Checks an option that is a number of milliseconds, connections or bytes. */
export const optionalCount: Check = optional(count)

/**
 * Checks the options of an adapter, as `checkAppOptions`.
 *
 * @param of - the name of the function, e.g. `createServer`
 * @param checks - the options that only this adapter has
 * @throws DeclarationError
 */
export function checkHttpOptions(
  options: HttpOptions,
  of: string,
  checks: Readonly<Record<string, Check>> = {},
): void {
  checkAppOptions(options, of, { ...commonChecks, ...checks })
}
