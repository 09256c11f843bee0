/** Whether the tests run in continuous integration, where time is limited. */
const isCi = process.env.CI === 'true'

/**
 * Returns how often a long test repeats something: completely by default, and less often in CI. A variable of the environment
 * replaces both.
 *
 * @param variable - the name of the variable
 */
export function readCount(variable: string, complete: number, inCi: number): number {
  return Number(process.env[variable] ?? (isCi ? inCi : complete))
}
