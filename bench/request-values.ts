import { hashNumber, makePersonRow, pickItem } from './seed-data.ts'

/** Picks the id of a person for the request with a number. */
export function pickPersonId(number: number, persons: number): number {
  return 1 + (hashNumber(number, 11) % persons)
}

const nameParts = [
  'Hartm',
  'sther',
  'Allen 1',
  'iklau',
  'Cerf 77',
  'Knuth 5',
  'da All',
  'Floyd 40',
] as const

/** Picks a substring that occurs in few names or in none. */
export function pickNamePart(number: number): string {
  return `${pickItem(nameParts, number)}${number % 10}`
}

/** Picks a prefix that about one serial number in 700 has. */
export function pickSerialPrefix(number: number): string {
  return `VAX-${10 + (number % 90)}`
}

/** Picks one of the last hundred pages of thirty. */
export function pickDeepPage(number: number, persons: number): number {
  const last = Math.ceil(persons / 30)
  return last - (number % Math.min(last, 100))
}

/** Picks one of the first twenty pages. */
export function pickEarlyPage(number: number): number {
  return 1 + (number % 20)
}

/** Makes the attributes of a new person. */
export function makePersonAttributes(number: number): Readonly<Record<string, string | null>> {
  const [, name, email, birth_date, gender] = makePersonRow(number + 1)
  return { name, email, birth_date, gender }
}

/** Picks the first or the last three of a person's five computers. */
export function pickComputers<Item>(computers: readonly Item[], number: number): readonly Item[] {
  return hashNumber(number, 12) % 2 === 0 ? computers.slice(0, 3) : computers.slice(2)
}
