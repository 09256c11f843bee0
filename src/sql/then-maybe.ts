import type { Awaitable } from '../model/declare/hooks.ts'

/**
 * Calls a function with a value: at once, or when the promise of the value resolves. A statement of a write on SQLite and a
 * cheap read on SQLite return values, and to await one would cost as much as a small statement. Reads with hooks, in a reader
 * process or as a stream, and everything on PostgreSQL return promises.
 *
 * Rows `create` and `update` of the benchmark: a write awaits nothing between its savepoint and the release of it. Together with
 * two smaller changes, this saves two fifths of the CPU time of its handler (`bench/NOTES.md`, Writes on SQLite).
 */
export function thenMaybe<Value, Result>(
  value: Awaitable<Value>,
  next: (value: Value) => Awaitable<Result>,
): Awaitable<Result> {
  return value instanceof Promise ? value.then(next) : next(value)
}
