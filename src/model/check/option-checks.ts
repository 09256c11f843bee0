import { quote } from '../../errors/quote.ts'
import { suggest } from '../../errors/suggestion.ts'
import { isObject } from '../kinds/json.ts'

/** Checks the value of an option of a declaration. Returns one line per error. */
export type Check = (value: unknown, location: string) => readonly string[]

/**
 * Creates a check that a value has a type.
 * @param expected - the type as the end of the sentence "must be …"
 * @param accepts - true for values of the type. Default: false for all
 */
export function mustBe(
  expected: string,
  accepts: (value: unknown) => boolean = () => false,
): Check {
  return (value, location) =>
    accepts(value) ? [] : [`${location}: must be ${expected}; it is ${describeValue(value)}`]
}

/** Checks that a value is true or false. */
export const booleanCheck: Check = mustBe('true or false', (value) => typeof value === 'boolean')

/** Checks that a value is a string. */
export const stringCheck: Check = mustBe('a string', (value) => typeof value === 'string')

/** Checks that a value is a model. */
export const modelCheck: Check = mustBe(
  'the result of defineModel',
  (value) => isObject(value) && value.types instanceof Map,
)

/** Creates a check of a whole number. */
export function wholeNumber(minimum: number): Check {
  return mustBe(
    `a whole number from ${minimum}`,
    (value) => Number.isSafeInteger(value) && Number(value) >= minimum,
  )
}

/** Shows a value in an error: short values as JSON, others by their type. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'number') return String(value)
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return 'an array'
  return isObject(value) ? 'an object' : quote(value)
}

/** True if a value is a function. */
export function isFunction(value: unknown): value is () => unknown {
  return typeof value === 'function'
}

/** Creates a check of an option that may be absent. */
export function optional(check: Check): Check {
  return (value, location) => (value === undefined ? [] : check(value, location))
}

/** Creates a check that a value is one of several strings. */
export function oneOf(...choices: readonly string[]): Check {
  const isChoice = (value: unknown) => choices.some((choice) => choice === value)
  return (value, location) => {
    if (isChoice(value)) return []
    if (typeof value !== 'string') return mustBe(choices.map(quote).join(' or '))(value, location)
    return [`${location}: ${quote(value)} is not allowed; ${suggest(value, choices, 'choices')}`]
  }
}

/** Creates a check of an object with exactly these members; `is` is not suggested, as users do not write it. */
export function members(checks: Readonly<Record<string, Check>>): Check {
  const known = new Map(Object.entries(checks))
  const names = [...known.keys()].filter((name) => name !== 'is')
  return (value, location) => {
    if (!isObject(value)) return mustBe('an object')(value, location)
    const unknownNames = Object.keys(value).filter((name) => !known.has(name))
    return [
      ...unknownNames.map(
        (name) =>
          `${location}.${name}: there is no such option; ${suggest(name, names, 'options')}`,
      ),
      ...[...known].flatMap(([name, check]) => check(value[name], `${location}.${name}`)),
    ]
  }
}

/** Creates a check of an object whose members may have any name and all pass one check. */
export function each(check: Check): Check {
  return (value, location) =>
    isObject(value)
      ? Object.entries(value).flatMap(([name, member]) => check(member, `${location}.${name}`))
      : mustBe('an object')(value, location)
}
