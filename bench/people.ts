/** How many computers each person has. */
export const computersEach = 5

const given =
  'Ada Alan Barbara Claude Dorothy Edsger Frances Grace Hedy Ivan John Katherine Linus Margaret Niklaus Radia Sophie Tim Ursula Vint Anna Joanna Hannes Ève Jürgen Zoë'.split(
    ' ',
  )
const family =
  'Allen Bartik Cerf Dijkstra Engelbart Floyd Goldberg Hopper Iverson Johnson Knuth Liskov Minsky Noether Perlman Hartmann Sørensen Weiß'.split(
    ' ',
  )
const genders = ['female', 'male', null, 'female', 'non-binary'] as const
const makers = ['AMIGA', 'BBC', 'CRAY', 'NEXT', 'PDP', 'SPARC', 'VAX', 'ZX'] as const

/** A row of the table `person`: id, name, email, birth_date, gender. */
export type PersonRow = readonly [number, string, string | null, string | null, string | null]

/** A row of the table `computer`: id, serial, person_id. */
export type ComputerRow = readonly [number, string, number]

/** A number that looks like chance and is the same for the same numbers every time, from 0 to 2³² − 1. */
export function mixed(number: number, salt = 0): number {
  let state = Math.imul(number ^ (salt * 0x9e3779b9), 0x85ebca6b) ^ (number >>> 13)
  state = Math.imul(state ^ (state >>> 16), 0xc2b2ae35)
  return (state ^ (state >>> 15)) >>> 0
}

/** One of a list, by chance. */
export function picked<Item>(list: readonly Item[], number: number, salt = 0): Item {
  for (const item of list.slice(mixed(number, salt) % list.length)) return item
  throw new Error('There is nothing to pick from.')
}

/** The person with an id; the same in a database of any size. */
export function personRow(id: number): PersonRow {
  const first = picked(given, id, 1)
  const last = picked(family, id, 2)
  const address = `${first}.${last}.${id}@example.org`.toLowerCase()
  const isPlain = /^[\w.@-]*$/.test(address)
  const day = new Date(Date.UTC(1900, 0, 1 + (mixed(id, 3) % 36_500)))
  return [
    id,
    `${first} ${last} ${mixed(id, 4) % 10_000}`,
    isPlain && id % 6 !== 0 ? address : null,
    id % 9 === 0 ? null : day.toISOString().slice(0, 10),
    picked(genders, id, 5),
  ]
}

/** The computer with an id, among so many persons; those of one person lie far apart. */
export function computerRow(id: number, persons: number): ComputerRow {
  const maker = picked(makers, id, 6)
  const serial = `${maker}-${1000 + (mixed(id, 7) % 9000)}-${String(id).padStart(7, '0')}`
  return [id, serial, (((id - 1) * stride) % persons) + 1]
}

/** Has no divisor in common with any of the sizes, so that everybody has the same number of computers. */
const stride = 7919

/** The ids of a person's computers, ascending. */
export function computersOf(person: number, persons: number): number[] {
  const first = (((person - 1) * inverse(persons)) % persons) + 1
  return Array.from({ length: computersEach }, (_, index) => first + index * persons)
}

const inverses = new Map<number, number>()

/** What undoes multiplying by the stride, among so many persons. */
function inverse(persons: number): number {
  let found = inverses.get(persons) ?? 1
  while ((found * stride) % persons !== 1 % persons) found += 1
  inverses.set(persons, found)
  return found
}
