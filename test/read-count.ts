import type { DialectName } from '../src/model/dialect.ts'

/** Whether the tests run in continuous integration, where time is limited. */
const isCi = process.env.CI === 'true'

/** Why a suite of pages does not run on a database; `false` if it does. CI has time for the pages on SQLite only. */
export function skipInCi(dialect: DialectName): string | false {
  return isCi && dialect !== 'sqlite' && 'CI runs the pages on SQLite only'
}

/**
 * Returns the number of repetitions of a long test: all by default, and fewer in CI. A variable of the environment replaces
 * both.
 *
 * @param variable - the name of the variable
 */
export function readCount(variable: string, complete: number, inCi: number): number {
  return Number(process.env[variable] ?? (isCi ? inCi : complete))
}
