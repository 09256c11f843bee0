import { randomThing, writeInserts } from './data.ts'
import type { Random } from './random.ts'
import { type Identity, newIds, nextOf, otherTenant, type Type, toId, types } from './schema.ts'
import type { Data, Thing } from './things.ts'

/** Numbers of ids; some of them have no row otherwise. */
const numbers = ['1', '2', '3', '4', '5', '6', '7']
/** The number of a row that both databases have of another tenant or deleted, because generated ids continue after it. */
export const lastForeignNumber = '50'
/** The number of an id that a client may give to a new blue thing, though it is one of another tenant. */
const foreignNumber = '51'

/**
 * Writes the statements that store random rows which belong to another tenant or are deleted softly: for the identity, and for the
 * rules, they do not exist. They have ids that are absent otherwise, and no other row references them; they reference other rows.
 * @param both - the rows of the two databases that are compared
 */
export function writeOutOfScope(
  both: readonly [Data, Data],
  { id }: Identity,
  random: Random,
  isPostgres: boolean,
): string {
  const free = types.map((type): [Type, readonly string[]] => {
    const isFree = (number: string) => both.every((data) => !isUsed(type, number, data))
    // The identity has a row of the join table by its id, which rules in SQL see.
    const candidates = [...numbers, lastForeignNumber, ...(type === 'blue' ? [foreignNumber] : [])]
    return [type, candidates.filter((number) => number !== id && isFree(number))]
  })
  const rows = free.flatMap(([type, ids]) =>
    ids
      .filter((number) => number === lastForeignNumber || random.chance(0.7))
      .map((number) => [type, number, randomThing(type, number, random)] as const),
  )
  const things = types.map((type): [Type, Map<string, Thing>] => {
    const own = rows.filter(([other]) => other === type).map(([, , thing]) => thing)
    return [type, new Map(own.map((thing) => [thing.id, thing]))]
  })
  const fans = rows.flatMap(([type, number]) =>
    type === 'blue'
      ? []
      : random
          .some(
            numbers.filter((each) => each !== id),
            0.4,
          )
          .map((other) => (type === 'red' ? `${number} ${other}` : `${other} ${number}`)),
  )
  const data: Data = {
    things: Object.fromEntries(things) as unknown as Data['things'],
    fans: new Set(fans),
  }
  const marks = rows.map(([type, number]) => {
    const isOwn = `${type === 'blue' ? 'number' : 'id'} = ${number}`
    return random.chance(0.5) || isNewId(type, number)
      ? `update ${type} set org = ${otherTenant} where ${isOwn}`
      : `update ${type} set gone = '2020-01-01' where ${isOwn}`
  })
  return [writeInserts(data, isPostgres), ...marks].join(';\n')
}

/** Whether a client may give an id to a new row. Then only rows of other tenants may have its number. */
function isNewId(type: Type, number: string): boolean {
  return newIds.some((each) => each === toId(type, number))
}

/** Whether a row has an id, or a key references it. */
function isUsed(type: Type, number: string, { things, fans }: Data): boolean {
  const id = toId(type, number)
  const position = { red: 0, green: 1, blue: undefined }[type]
  const isLinked = types.some(
    (other) =>
      nextOf[other] === type && [...things[other].values()].some(({ next }) => next === id),
  )
  const isFan = [...fans].some(
    (pair) => position !== undefined && pair.split(' ')[position] === number,
  )
  return things[type].has(id) || isLinked || isFan
}
