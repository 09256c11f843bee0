import type { AppOptions } from '../handlers/app-context.ts'
import { DeclarationError } from '../model/declaration-error.ts'
import { isObject } from '../model/json.ts'
import { type Check, isFunction, members, mustBe, optional } from '../model/option-checks.ts'
import { maxUrlLength } from './headers.ts'

/** The options of every adapter. */
export interface HttpOptions extends AppOptions {
  /** Scheme and host of absolute links, e.g. `https://api.example.org`. Default: those of the request. */
  readonly publicUrl?: string | undefined
  /** The largest body, in bytes. Default 1 MiB. */
  readonly maxBody?: number
}

/** The default of `maxBody`, in bytes. */
export const defaultMaxBody = 1024 * 1024

const isModel = (value: unknown): boolean => isObject(value) && value.types instanceof Map
const isStore = (value: unknown): boolean => isObject(value) && isFunction(value.read)
const count = mustBe(
  'a whole number from 1',
  (value) => Number.isSafeInteger(value) && Number(value) > 0,
)

/** The checks of the options of every adapter. */
const commonChecks: Readonly<Record<string, Check>> = {
  model: mustBe('the result of defineModel', isModel),
  store: mustBe('an open store, as in openSqlite(model, path)', isStore),
  prefix: optional(mustBe('a path such as "/api", without a final slash', isPrefix)),
  rootMeta: optional(mustBe('an object', isObject)),
  publicUrl: optional(mustBe('an origin such as "https://api.example.org"', isOrigin)),
  maxBody: optional(count),
  authenticate: optional(mustBe('a function of the request', isFunction)),
}

/** Accepts every value: for options that Fastify checks. */
export const anyValue: Check = () => []
/** Checks an option that is a number of milliseconds, connections or bytes. */
export const optionalCount: Check = optional(count)

/**
 * Checks the options of an adapter, as declarations are checked.
 *
 * @param of - the name of the function, e.g. `createServer`
 * @param checks - the options that only this adapter has
 * @throws DeclarationError with one line for each unknown option and each value of a wrong type, or when the store was
 *   opened for another model
 */
export function checkHttpOptions(
  options: HttpOptions,
  of: string,
  checks: Readonly<Record<string, Check>> = {},
): void {
  const errors = members({ ...commonChecks, ...checks })(options, of)
  if (errors.length === 0 && options.store.model !== options.model)
    throw new DeclarationError([
      `${of}.store: was opened for another model; pass the same model to the store and to ${of}`,
    ])
  if (errors.length > 0) throw new DeclarationError(errors)
}

function isPrefix(value: unknown): boolean {
  return value === '' || (typeof value === 'string' && /^\/[^?#]*[^?#/]$/.test(value))
}

function isOrigin(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value.length < maxUrlLength &&
    URL.canParse(value) &&
    new URL(value).origin === value
  )
}
