/** Returns a thrown value that is an Error, or an Error that describes it. It throws for no value. */
export function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown
  return new Error(`A value that is not an Error was thrown: ${describe(thrown)}`)
}

/** Not every object has a text: `Object.create(null)` has none. */
function describe(value: unknown): string {
  try {
    return String(value)
  } catch {
    return typeof value
  }
}
