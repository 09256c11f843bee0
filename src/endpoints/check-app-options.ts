import { DeclarationError } from '../model/check/declaration-error.ts'
import {
  type Check,
  isFunction,
  members,
  modelCheck,
  mustBe,
  optional,
} from '../model/check/option-checks.ts'
import { isObject } from '../model/kinds/json.ts'
import type { AppOptions } from './app-context.ts'

/** An origin is part of every absolute link. */
const maxOriginLength = 2048

const isStore = (value: unknown): boolean => isObject(value) && isFunction(value.read)

/** The checks of the options of every application, and of `publicUrl`, which all functions that create one have. */
const appChecks: Readonly<Record<string, Check>> = {
  model: modelCheck,
  store: mustBe('an open store', isStore),
  prefix: optional(mustBe('a path such as "/api", without parameters and a final slash', isPrefix)),
  rootMeta: optional(mustBe('an object', isObject)),
  publicUrl: optional(mustBe('an origin such as "https://api.example.org"', isOrigin)),
}

/**
 * Checks the options of an application, as declarations are checked.
 *
 * @param of - the name of the function, e.g. `createServer`
 * @param checks - the options that only this function has
 * @throws DeclarationError with one line for each unknown option and each value of a wrong type, or when the store was
 *   opened for another model
 */
export function checkAppOptions(
  options: AppOptions,
  of: string,
  checks: Readonly<Record<string, Check>> = {},
): void {
  const errors = members({ ...appChecks, ...checks })(options, of)
  if (errors.length === 0 && options.store.model !== options.model)
    throw new DeclarationError([
      `${of}.store: was opened for another model; pass the same model to the store and to ${of}`,
    ])
  if (errors.length > 0) throw new DeclarationError(errors)
}

function isPrefix(value: unknown): boolean {
  return value === '' || (typeof value === 'string' && /^\/[^?#:*]*[^?#:*/]$/.test(value))
}

function isOrigin(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value.length <= maxOriginLength &&
    URL.canParse(value) &&
    new URL(value).origin === value
  )
}
