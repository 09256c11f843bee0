import { quote } from '../errors/quote.ts'
import { suggest } from '../errors/suggestion.ts'

/** Says what is wrong with a value at a place of a declaration: a line per mistake. */
export type Check = (value: unknown, place: string) => readonly string[]

/** A check that a value is of a type; the sentence says what it is instead. */
export function mustBe(expected: string, fits: (value: unknown) => boolean = () => false): Check {
  return (value, place) =>
    fits(value) ? [] : [`${place}: must be ${expected}; it is ${describeValue(value)}`]
}

/** A value as a mistake shows it: what is long is named by its type. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'number') return String(value)
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return 'an array'
  return isObject(value) ? 'an object' : quote(value)
}

/** Whether it has members by name. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether it can be called. */
export function isFunction(value: unknown): value is () => unknown {
  return typeof value === 'function'
}

/** What may be left out. */
export function optional(check: Check): Check {
  return (value, place) => (value === undefined ? [] : check(value, place))
}

/** One of a few words. */
export function oneOf(...words: readonly string[]): Check {
  const fits = (value: unknown) => words.some((word) => word === value)
  return (value, place) => {
    if (fits(value)) return []
    if (typeof value !== 'string') return mustBe(words.map(quote).join(' or '))(value, place)
    return [`${place}: there is no ${quote(value)}; ${suggest(value, words, 'choices')}`]
  }
}

/** An object with these members and no other. */
export function members(rows: Readonly<Record<string, Check>>): Check {
  const known = new Map(Object.entries(rows))
  const names = [...known.keys()].filter((name) => name !== 'is')
  return (value, place) => {
    if (!isObject(value)) return mustBe('an object')(value, place)
    const strange = Object.keys(value).filter((name) => !known.has(name))
    return [
      ...strange.map(
        (name) => `${place}.${name}: there is no such option; ${suggest(name, names, 'options')}`,
      ),
      ...[...known].flatMap(([name, check]) => check(value[name], `${place}.${name}`)),
    ]
  }
}

/** An object whose members are all alike, under names of the declaration's own. */
export function each(check: Check): Check {
  return (value, place) =>
    isObject(value)
      ? Object.entries(value).flatMap(([name, member]) => check(member, `${place}.${name}`))
      : mustBe('an object')(value, place)
}
