import type { Awaitable } from '../model/hooks.ts'

/** Goes on with a value, at once where it is there: SQLite's are, and to wait for one costs as much as a small step. */
export function thenMaybe<Value, Result>(
  value: Awaitable<Value>,
  next: (value: Value) => Result,
): Awaitable<Result> {
  return value instanceof Promise ? value.then(next) : next(value)
}
