/**
 * Returns what a function of the application returned, if it is no promise: its result is needed at once, and a rejection that nobody
 * waits for would end the process.
 * @param name - that of the function, for the error
 * @throws TypeError for a promise, also one of another library
 */
export function requireImmediate<Value>(value: Value, name: string): Value {
  if (!isPromise(value)) return value
  value.then(undefined, () => {})
  throw new TypeError(`${name} must not return a promise: its result is needed at once.`)
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof Reflect.get(value, 'then') === 'function'
  )
}
