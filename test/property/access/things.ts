import { nextOf, previousOf, type Type } from './schema.ts'

/** A JSON value with a word, by which requests and rules can filter. */
type WordInJson = Readonly<{ word: string | null }>

/** A row of any type. */
export interface Thing {
  readonly id: string
  name: string | null
  rank: number | null
  note: string | null
  secret: string | null
  place: WordInJson | null
  marks: readonly string[] | null
  tags: readonly string[] | null
  info: Readonly<{ place: WordInJson }> | null
  /** The id of a row of the next type, which need not exist. */
  next: string | null
}

/** The rows of all types, by type and id, and the pairs of the join table. */
export interface Data {
  readonly things: Readonly<Record<Type, Map<string, Thing>>>
  /** `red id, green id`. */
  readonly fans: Set<string>
}

/** True, false, or unknown as in SQL. */
export type Truth = boolean | undefined

/** The rows that a relationship leads to, whoever may read them. */
export function linked(
  type: Type,
  thing: Thing,
  relationship: string,
  { things, fans }: Data,
): (readonly [Type, Thing])[] {
  const find = (other: Type, isLinked: (row: Thing) => boolean) =>
    [...things[other].values()].filter(isLinked).map((row) => [other, row] as const)
  switch (relationship) {
    case 'next':
      return find(nextOf[type], ({ id }) => id === thing.next)
    case 'previous':
      return find(previousOf[type], ({ next }) => next === thing.id)
    case 'fans':
      return find('green', ({ id }) => fans.has(`${thing.id} ${id}`))
    case 'stars':
      return find('red', ({ id }) => fans.has(`${id} ${thing.id}`))
    default:
      throw new Error(`There is no relationship ${relationship}.`)
  }
}
