/** How far the clock is ahead, in milliseconds: 500 days, 5 hours, 7 minutes and 13 seconds, so that each part of a date differs. */
const ahead = (((500 * 24 + 5) * 60 + 7) * 60 + 13) * 1000

/**
 * Runs a synchronous function with a `Date` whose clock is ahead, so that what it derives from the present date or time differs.
 * A function that keeps a reference to the original `Date` is not affected.
 */
export function runLater<Result>(run: () => Result): Result {
  const { Date: original } = globalThis
  const now = () => original.now() + ahead
  globalThis.Date = new Proxy(original, {
    apply: () => String(new original(now())),
    construct: (target, values, newTarget) =>
      Reflect.construct(target, values.length === 0 ? [now()] : values, newTarget),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  })
  try {
    return run()
  } finally {
    globalThis.Date = original
  }
}
