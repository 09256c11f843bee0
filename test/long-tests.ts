import type { DialectName } from '../src/model/dialect.ts'
import { skipInCi } from './read-count.ts'

/**
 * Options of a test or suite that `npm test` leaves out, and `npm run test:long` runs: it repeats on another path what another
 * test shows, or runs a tool that takes seconds. It must not depend on the tests beside it, because they run in another command.
 * A command that names a file runs all of its tests.
 */
export const long = { tags: ['long'] } as const

/** Whether this process runs only the tests with the tag: `npm run test:tagged`. */
export const runsLong = process.execArgv.includes('--experimental-test-tag-filter=long')

/** The options of a test that this module sets. */
interface LongOptions {
  readonly tags?: readonly string[]
  readonly skip?: string | false
}

/**
 * Options of a suite that shows little of a database: on others than SQLite `npm test` leaves it out, and CI, whose time is limited,
 * skips it.
 */
export function longOnOthers(dialect: DialectName): LongOptions {
  return dialect === 'sqlite' ? {} : { ...long, skip: skipInCi(dialect) }
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
