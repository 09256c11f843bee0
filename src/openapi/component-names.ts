import type { Model } from '../model/model.ts'

/**
 * Names the components of each type. Names of components have only letters, digits, `.`, `_` and `-`; a member name of JSON:API
 * may have others, but never a `.`, which therefore separates the type from the rest, as in `person.new`.
 *
 * @returns the beginning of the names of the components of a type
 * @see https://spec.openapis.org/oas/v3.1.0#components-object
 */
export function createTypeNames(model: Model): (type: string) => string {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const type of model.types.keys()) {
    const name = makeUnique(replaceOthers(type), taken)
    taken.add(name)
    names.set(type, name)
  }
  return (type) => names.get(type) ?? type
}

/** Replaces the characters that the name of a component cannot have by `_`. */
export function replaceOthers(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_')
}

/** Adds a number to a name that is taken. */
export function makeUnique(name: string, taken: Pick<ReadonlySet<string>, 'has'>): string {
  if (!taken.has(name)) return name
  let number = 2
  while (taken.has(`${name}-${number}`)) number += 1
  return `${name}-${number}`
}
