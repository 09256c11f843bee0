/** The number of computers of each person. */
export const computersPerPerson = 5

const givenNames =
  'Ada Alan Barbara Claude Dorothy Edsger Frances Grace Hedy Ivan John Katherine Linus Margaret Niklaus Radia Sophie Tim Ursula Vint Anna Joanna Hannes Ève Jürgen Zoë'.split(
    ' ',
  )
const familyNames =
  'Allen Bartik Cerf Dijkstra Engelbart Floyd Goldberg Hopper Iverson Johnson Knuth Liskov Minsky Noether Perlman Hartmann Sørensen Weiß'.split(
    ' ',
  )
const genders = ['female', 'male', null, 'female', 'non-binary'] as const
const makers = ['AMIGA', 'BBC', 'CRAY', 'NEXT', 'PDP', 'SPARC', 'VAX', 'ZX'] as const

/** A row of the table `person`: id, name, email, birth_date, gender. */
type PersonRow = readonly [number, string, string | null, string | null, string | null]

/** A row of the table `computer`: id, serial, person_id. */
type ComputerRow = readonly [number, string, number]

/**
 * Hashes a number. The result is pseudorandom and the same on every run.
 * @returns an integer from 0 to 2³² − 1
 */
export function hashNumber(number: number, salt = 0): number {
  let state = Math.imul(number ^ (salt * 0x9e3779b9), 0x85ebca6b) ^ (number >>> 13)
  state = Math.imul(state ^ (state >>> 16), 0xc2b2ae35)
  return (state ^ (state >>> 15)) >>> 0
}

/** Picks an item of a list by the hash of a number. */
export function pickItem<Item>(list: readonly Item[], number: number, salt = 0): Item {
  for (const item of list.slice(hashNumber(number, salt) % list.length)) return item
  throw new Error('The list to pick from is empty.')
}

/** Makes the person with an id. The row is the same in a database of any size. */
export function makePersonRow(id: number): PersonRow {
  const givenName = pickItem(givenNames, id, 1)
  const familyName = pickItem(familyNames, id, 2)
  const address = `${givenName}.${familyName}.${id}@example.org`.toLowerCase()
  const isAscii = /^[\w.@-]*$/.test(address)
  const birthDate = new Date(Date.UTC(1900, 0, 1 + (hashNumber(id, 3) % 36_500)))
  return [
    id,
    `${givenName} ${familyName} ${hashNumber(id, 4) % 10_000}`,
    isAscii && id % 6 !== 0 ? address : null,
    id % 9 === 0 ? null : birthDate.toISOString().slice(0, 10),
    pickItem(genders, id, 5),
  ]
}

/**
 * Makes the computer with an id. The computers of one person are far apart in the table.
 * @param persons - the number of persons in the database
 */
export function makeComputerRow(id: number, persons: number): ComputerRow {
  const maker = pickItem(makers, id, 6)
  const serial = `${maker}-${1000 + (hashNumber(id, 7) % 9000)}-${String(id).padStart(7, '0')}`
  return [id, serial, (((id - 1) * stride) % persons) + 1]
}

/** A prime that divides none of the database sizes, so that each person has the same number of computers. */
const stride = 7919

/** Lists the ids of a person's computers in ascending order. */
export function listComputerIds(person: number, persons: number): number[] {
  const first = (((person - 1) * invertModulo(stride, persons)) % persons) + 1
  return Array.from({ length: computersPerPerson }, (_, index) => first + index * persons)
}

/** Computes the modular inverse by the extended Euclidean algorithm. The arguments must be coprime. */
function invertModulo(value: number, modulus: number): number {
  let [remainder, nextRemainder] = [modulus, value % modulus]
  let [coefficient, nextCoefficient] = [0, 1]
  while (nextRemainder !== 0) {
    const quotient = Math.floor(remainder / nextRemainder)
    ;[remainder, nextRemainder] = [nextRemainder, remainder - quotient * nextRemainder]
    ;[coefficient, nextCoefficient] = [nextCoefficient, coefficient - quotient * nextCoefficient]
  }
  return ((coefficient % modulus) + modulus) % modulus
}
