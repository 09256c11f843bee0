import {
  type Check,
  isFunction,
  mustBe,
  optional,
  stringCheck,
} from '../model/check/option-checks.ts'
import { isObject } from '../model/kinds/json.ts'

const options = optional(mustBe('an object', isObject))

/** The arguments of the calls in process, by the names that their types have. */
const checks = {
  type: stringCheck,
  id: stringCheck,
  relationship: stringCheck,
  action: stringCheck,
  query: options,
  input: options,
  context: options,
  options,
  fields: mustBe('an object with the fields to write, or {}', isObject),
  change: mustBe('an object with add, remove or replace', isObject),
  work: mustBe('a function', isFunction),
} satisfies Readonly<Record<string, Check>>

/**
 * Checks the arguments of a call, which programs without types can confuse or forget.
 *
 * @param call - the name of the method
 * @param values - the arguments, in their order
 * @throws TypeError that names the first wrong argument, e.g. `get.id: must be a string; it is missing`
 */
export function checkArguments(
  call: string,
  values: Readonly<Partial<Record<keyof typeof checks, unknown>>>,
): void {
  for (const [name, check] of Object.entries(checks)) {
    const [error] = name in values ? check(Reflect.get(values, name), `${call}.${name}`) : []
    if (error !== undefined) throw new TypeError(error)
  }
}
