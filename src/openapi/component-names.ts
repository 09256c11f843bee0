import type { ModelDescription } from '../describe/describe-model.ts'
import type { TypeDescription } from '../describe/describe-type.ts'

/**
 * The beginnings of the names of components that no type has: `jsonapi.errors`, `filter.text`. A resource type of one of these names
 * gets a number.
 */
const reserved = ['jsonapi', 'filter'] as const

/**
 * Names the components of each type. Names of components have only letters, digits, `.`, `_` and `-`; a member name of JSON:API
 * may have others, but never a `.`, which therefore separates the type from the rest, as in `person.new`.
 *
 * @returns the beginning of the names of the components of a type; no two types have the same
 * @see https://spec.openapis.org/oas/v3.1.0#components-object
 */
export function createTypeNames({ types }: ModelDescription): (type: string) => string {
  const names = createUniqueNames([...types.keys()], reserved)
  return (type) => names.get(type) ?? type
}

/** Returns the beginning of the names of what belongs to a relationship, e.g. `person.computers`. Ids are parts of URLs and of programs. */
export function nameField(
  { type, relationships }: TypeDescription,
  name: string,
  nameType: (type: string) => string,
): string {
  const names = createUniqueNames(relationships.map((field) => field.name))
  return `${nameType(type)}.${names.get(name) ?? name}`
}

/**
 * Gives each of several names a name of letters, digits, `_` and `-`. A name that has no other characters stays as it is unless it is
 * reserved; of the others, those that would be equal get a number.
 *
 * @param names - each of them once
 * @param reserved - names that none of them gets
 */
function createUniqueNames(
  names: readonly string[],
  reserved: readonly string[] = [],
): ReadonlyMap<string, string> {
  const taken = new Set(reserved)
  const [plain, others] = [
    names.filter((name) => replaceOthers(name) === name && !taken.has(name)),
    names.filter((name) => replaceOthers(name) !== name || taken.has(name)),
  ]
  for (const name of plain) taken.add(name)
  const unique = others.map((name) => {
    const free = makeUnique(replaceOthers(name), taken)
    taken.add(free)
    return [name, free] as const
  })
  return new Map([...plain.map((name) => [name, name] as const), ...unique])
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
