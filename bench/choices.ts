import { mixed, personRow, picked } from './people.ts'

/** The id of somebody, for a request with a number. */
export function someone(number: number, persons: number): number {
  return 1 + (mixed(number, 11) % persons)
}

const words = [
  'Hartm',
  'sther',
  'Allen 1',
  'iklau',
  'Cerf 77',
  'Knuth 5',
  'da All',
  'Floyd 40',
] as const

/** A part of a name that few or none have. */
export function partOfName(number: number): string {
  return `${picked(words, number)}${number % 10}`
}

/** What one serial number in some seven hundred starts with. */
export function startOfSerial(number: number): string {
  return `VAX-${10 + (number % 90)}`
}

/** One of the last hundred pages of thirty. */
export function deepPage(number: number, persons: number): number {
  const last = Math.ceil(persons / 30)
  return last - (number % Math.min(last, 100))
}

/** One of the first twenty pages. */
export function earlyPage(number: number): number {
  return 1 + (number % 20)
}

/** The attributes of a person to be made. */
export function newPerson(number: number): Readonly<Record<string, string | null>> {
  const [, name, email, birth_date, gender] = personRow(number + 1)
  return { name, email, birth_date, gender }
}

/** The first or the last three of a person's five computers. */
export function someOf<Item>(computers: readonly Item[], number: number): readonly Item[] {
  return mixed(number, 12) % 2 === 0 ? computers.slice(0, 3) : computers.slice(2)
}
