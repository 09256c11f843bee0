/** A whole number that a double may not hold: worth a second, slower look. */
const longNumber = /\d{16}/

/**
 * Parses JSON; whole numbers beyond 2^53 come out as exact `bigint`s instead of the nearest double.
 * @throws SyntaxError when the text is not JSON
 * @see RFC 8259 §6
 */
export function parseJson(text: string): unknown {
  return longNumber.test(text) ? JSON.parse(text, exactly) : JSON.parse(text)
}

/** A reviver; its third argument (JSON.parse source text access, ES2026) is not in TypeScript's library yet. */
function exactly(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const source = context?.source
  return source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value
}

/** An object of JSON: neither null nor an array. */
export function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

/** What a JSON value is, as a sentence names it. */
export function kindOfJson(json: unknown): string {
  if (json === undefined) return 'nothing'
  if (json === null) return 'null'
  if (Array.isArray(json)) return 'an array'
  if (typeof json === 'object') return 'an object'
  return typeof json === 'bigint' ? 'a number' : `a ${typeof json}`
}

/** What is wrong with a text that could not be parsed, as the end of a sentence. */
export function jsonComplaint(error: unknown): string {
  if (error instanceof SyntaxError)
    return error.message.replace(/\s+/g, ' ').slice(0, 160).toWellFormed()
  return error instanceof RangeError ? 'it is nested too deep' : 'it is not UTF-8'
}
