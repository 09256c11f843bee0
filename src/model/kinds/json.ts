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
  if (longNumber.test(text))
    return parseJsonValues(text, (value, source) => reviveBigInteger(value, source, maxLength))
  return text.includes('\\') ? parseJsonValues(text) : JSON.parse(text)
}

/**
 * Parses JSON with the names that it has (`findPlainNames`).
 * @param revive - returns what a value that is no object becomes. It is given the text of a number, too
 * @throws SyntaxError if it is not JSON
 */
export function parseJsonValues(
  text: string,
  revive?: (value: unknown, source: string | undefined) => unknown,
): unknown {
  const plain = text.includes('\\') ? findPlainNames(text) : undefined
  if (plain === undefined && revive === undefined) return JSON.parse(text)
  const { plainText, names } = plain ?? { plainText: text, names: undefined }
  return JSON.parse(plainText, (_key, value: unknown, context?: SourceContext) => {
    if (names && isObject(value)) return rename(value, names)
    return revive ? revive(value, context?.source) : value
  })
}

/** A JSON text whose names have no escapes, and what the names stand for that replace those which had some. */
interface PlainNames {
  readonly plainText: string
  readonly names: ReadonlyMap<string, string>
}

/**
 * Replaces names that are written with escapes. V8 takes one for the name of an object that was parsed before, whose name at this place has
 * a backslash in it: after `{"a":1,"\\":2}` the second name of `{"a":1,"\u00e9":2}` is a backslash. So one client could change what
 * another one sends.
 * @returns `undefined` for a text without such names
 * @throws SyntaxError if the text has such names and is not JSON
 * @see https://github.com/nodejs/node/issues/63785
 */
function findPlainNames(text: string): PlainNames | undefined {
  const names = new Map<string, string>()
  const prefix = crypto.getRandomValues(new Uint32Array(4)).join('-')
  let plainText = ''
  let copied = 0
  let start = text.indexOf('"')
  while (start !== -1) {
    const end = endOfString(text, start) + 1
    const literal = text.slice(start, end)
    if (literal.includes('\\') && isName(text, end)) {
      // The errors of the text name positions in it.
      if (names.size === 0) JSON.parse(text)
      const placeholder = `${prefix}${names.size}`
      names.set(placeholder, JSON.parse(literal))
      plainText += `${text.slice(copied, start)}"${placeholder}"`
      copied = end
    }
    start = text.indexOf('"', end)
  }
  return names.size === 0 ? undefined : { plainText: plainText + text.slice(copied), names }
}

/** Whether the string that ends before an index is the name of a member. */
function isName(text: string, end: number): boolean {
  const colon = /[ \t\n\r]*:/y
  colon.lastIndex = end
  return colon.test(text)
}

/** The index of the closing quotation mark of the string that begins at `start`. */
export function endOfString(text: string, start: number): number {
  const { length } = text
  for (let index = start + 1; index < length; index += 1) {
    const char = text.charCodeAt(index)
    if (char === characters.quotationMark) return index
    // A backslash escapes the next character.
    if (char === characters.backslash) index += 1
  }
  return length
}

/** The characters that JSON is made of, as UTF-16 code units. */
// biome-ignore format: a table
export const characters = { quotationMark: 0x22, comma: 0x2c, beginArray: 0x5b, backslash: 0x5c, endArray: 0x5d, beginObject: 0x7b, endObject: 0x7d }

/** Returns an object with its own names instead of those that replace them. */
function rename(
  value: Readonly<Record<string, unknown>>,
  names: ReadonlyMap<string, string>,
): Readonly<Record<string, unknown>> {
  const members = Object.entries(value)
  if (!members.some(([name]) => names.has(name))) return value
  return Object.fromEntries(members.map(([name, member]) => [names.get(name) ?? name, member]))
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
