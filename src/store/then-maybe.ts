import type { Awaitable } from '../model/hooks.ts'

/**
 * Calls a function with a value: at once, or when the promise of the value resolves. Values of SQLite are never promises, and to
 * await one costs as much as a small statement there.
 */
export function thenMaybe<Value, Result>(
  value: Awaitable<Value>,
  next: (value: Value) => Result,
): Awaitable<Result> {
  return value instanceof Promise ? value.then(next) : next(value)
}
