/**
 * Returns what a function of the application returned, if it is no promise: its result is needed at once, and a rejection that nobody
 * waits for would end the process.
 * @param name - that of the function, for the error
 * @throws TypeError for a promise
 */
export function requireImmediate<Value>(value: Value, name: string): Value {
  if (!(value instanceof Promise)) return value
  value.catch(() => {})
  throw new TypeError(`${name} must not return a promise: its result is needed at once.`)
}
