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
  try {
    return JSON.stringify(value)
  } catch {
    return serializeWithBigints(value)
  }
}

/** Writes a value that `JSON.stringify` rejects for its `bigint`s. */
function serializeWithBigints(value: JsonValue): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(serializeWithBigints).join(',')}]`
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${serializeWithBigints(member)}`,
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
 * @param maxLength - of the text of an integer: to parse one takes more than linear time. Default: any length
 * @throws SyntaxError if it is not JSON, or has a longer integer
 * @see https://www.rfc-editor.org/rfc/rfc8259#section-6
 */
export function parseExactJson(text: string, maxLength = Number.POSITIVE_INFINITY): unknown {
  if (!longNumber.test(text)) return JSON.parse(text)
  return JSON.parse(text, (_key, value: unknown, context?: SourceContext) =>
    reviveBigInteger(value, context?.source, maxLength),
  )
}

/** The third argument of a `JSON.parse` reviver (source text access, ES2026), which TypeScript's library does not declare yet. */
interface SourceContext {
  readonly source?: string
}

function reviveBigInteger(value: unknown, source: string | undefined, maxLength: number): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  if (source === undefined || !/^-?\d+$/.test(source)) return value
  if (source.length > maxLength) throw new SyntaxError(`an integer has ${source.length} digits`)
  return BigInt(source)
}
