/** Any JSON value. Integers beyond 2^53 are `bigint`s, so that no digit is lost. */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly JsonValue[]
  | { readonly [member: string]: JsonValue }

/** A JSON object or array. */
export type Json = readonly JsonValue[] | { readonly [member: string]: JsonValue }

/** True if a value is a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Writes a value as JSON text, with all digits of `bigint`s. */
export function serializeJson(value: JsonValue): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(serializeJson).join(',')}]`
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${serializeJson(member)}`,
  )
  return `{${members.join(',')}}`
}

/**
 * Copies a value as JSON, without members that are `undefined`. An object with `toJSON`, such as a `Date`, is what that returns.
 * @param path - names the value in the error
 * @throws TypeError for a value that JSON does not have
 */
export function toJsonValue(value: unknown, path: string): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value)))
    return value
  if (typeof value !== 'object')
    throw new TypeError(`${path}: ${String(value)} is not a JSON value.`)
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return toJsonValue(value.toJSON(), path)
  if (Array.isArray(value)) return value.map((element) => toJsonValue(element, path))
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [name, toJsonValue(member, path)]))
}

/** Finds texts that may contain an integer beyond 2^53; only these need the slower parse with a reviver. */
const longNumber = /\d{16}/

/**
 * Parses JSON. Integers beyond 2^53 become exact `bigint`s instead of the nearest double.
 * @throws SyntaxError if it is not JSON
 * @see https://www.rfc-editor.org/rfc/rfc8259#section-6
 */
export function parseExactJson(text: string): unknown {
  return longNumber.test(text) ? JSON.parse(text, reviveBigInteger) : JSON.parse(text)
}

/** A `JSON.parse` reviver. TypeScript's library does not declare its third argument (source text access, ES2026) yet. */
function reviveBigInteger(
  _key: string,
  value: unknown,
  context?: { readonly source?: string },
): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const source = context?.source
  return source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value
}
