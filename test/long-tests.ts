import type { DialectName } from '../src/model/dialect.ts'

/**
 * Options of a test or suite that `npm test` leaves out, and `npm run test:long` runs: it repeats on another path what another
 * test shows, or runs a tool that takes seconds. It must not depend on the tests beside it, because they run in another command.
 * A command that names a file runs all of its tests.
 */
export const long = { tags: ['long'] } as const

/** Options of a suite that shows little of a database: on others than SQLite `npm test` leaves it out. */
export function longOnOthers(dialect: DialectName): { readonly tags?: readonly string[] } {
  return dialect === 'sqlite' ? {} : long
}

/**
 * Options of a case of a large table whose requests are read or rejected before a database is asked: on SQLite `npm test` runs
 * all cases, on other databases the first of every `parts`.
 * @param index - the position of the case in the table
 */
export function partOnOthers(
  dialect: DialectName,
  index: number,
  parts: number,
): { readonly tags?: readonly string[] } {
  return dialect === 'sqlite' ? {} : partOf(index, parts)
}

/**
 * Options of a case of a large table: `npm test` runs the first of every `parts` cases, `npm run test:long` the others.
 * @param index - the position of the case in the table
 */
export function partOf(index: number, parts: number): { readonly tags?: readonly string[] } {
  return index % parts === 0 ? {} : long
}
