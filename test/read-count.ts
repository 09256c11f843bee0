/** Whether the tests run in continuous integration, where time is limited. */
const isCi = process.env.CI === 'true'

/**
 * Returns the number of repetitions of a long test: all by default, and fewer in CI. A variable of the environment replaces
 * both.
 *
 * @param variable - the name of the variable
 */
export function readCount(variable: string, complete: number, inCi: number): number {
  return Number(process.env[variable] ?? (isCi ? inCi : complete))
}
