import type { DialectName } from '../src/model/dialect.ts'

/** Whether the tests run in continuous integration, where time is limited. */
const isCi = process.env.CI === 'true'

/** Why CI does not run what repeats other tests on one more tool or path; `false` elsewhere. */
export const noTimeInCi: string | false = isCi && 'CI has no time for it'

/** Why a suite that shows little of a database does not run on it in CI; `false` if it does. */
export function skipInCi(dialect: DialectName): string | false {
  return isCi && dialect !== 'sqlite' && 'CI has time for it on SQLite only'
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
