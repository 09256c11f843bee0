/** The checks within a timeout. */
const checksPerTimeout = 8
/** The longest time between two checks, in milliseconds. */
const maxInterval = 1000

/**
 * Calls a check regularly until it is stopped. The time that it is given advances by one interval with each check, however long the
 * event loop was blocked in between: a client cannot make progress while the server does something else, so that time does not count.
 *
 * @param timeout - milliseconds that the check measures
 * @param check - is given the present time in milliseconds, on a clock of its own
 * @returns a function that stops the checks
 */
export function scheduleChecks(timeout: number, check: (now: number) => void): () => void {
  const interval = Math.min(maxInterval, Math.max(1, timeout / checksPerTimeout))
  let now = 0
  const timer = setInterval(() => {
    now += interval
    check(now)
  }, interval).unref()
  return () => clearInterval(timer)
}
