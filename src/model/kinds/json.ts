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

/** Finds integers that may be beyond 2^53. In JSON no other token has so many digits behind another character than these. */
const longInteger = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g

/**
 * Parses JSON. Integers beyond 2^53 become exact `bigint`s instead of the nearest double.
 * @param maxLength - of the text of an integer: to parse one takes more than linear time. Default: any length
 * @throws SyntaxError if it is not JSON, or has a longer integer
 * @see https://www.rfc-editor.org/rfc/rfc8259#section-6
 */
export function parseExactJson(text: string, maxLength = Number.POSITIVE_INFINITY): unknown {
  if (!text.includes('\\') && text.search(longInteger) === -1) return JSON.parse(text)
  const read = (digits: string) => {
    if (Number.isSafeInteger(Number(digits))) return undefined
    if (digits.length > maxLength) throw new SyntaxError(`an integer has ${digits.length} digits`)
    return BigInt(digits)
  }
  return parseJsonValues(text, { pattern: longInteger, read })
}

/** How some numbers of a text are read. */
interface ReadNumbers {
  /** Finds them outside of strings. */
  readonly pattern: RegExp
  /** Returns what a number becomes; `undefined` for the double. */
  readonly read: (digits: string) => unknown
}

/**
 * Parses JSON with the names that it has. V8 takes a name that is written with escapes for the name of an object that was parsed before,
 * whose name at this place has a backslash in it: after `{"a":1,"\\":2}` the second name of `{"a":1,"\u00e9":2}` is a backslash. So one
 * client could change what another one sends. Such names are replaced before the text is parsed, and put back into its objects. So are
 * numbers that no double has: with a reviver, a text of many empty objects would take fifty times as long to parse.
 * @throws SyntaxError if it is not JSON
 * @see https://github.com/nodejs/node/issues/63785
 */
export function parseJsonValues(text: string, numbers?: ReadNumbers): unknown {
  // The errors of the text name positions in it.
  const parsed: unknown = JSON.parse(text)
  const prefix = crypto.getRandomValues(new Uint32Array(4)).join('-')
  const placeholders = new Map<string, string>()
  const replaced = new Map<string, unknown>()
  let plain = ''
  let copied = 0
  const replace = (start: number, literal: string, read: (literal: string) => unknown) => {
    let placeholder = placeholders.get(literal)
    if (placeholder === undefined) {
      const value = read(literal)
      if (value === undefined) return
      placeholder = `${prefix}${replaced.size}`
      placeholders.set(literal, placeholder)
      replaced.set(placeholder, value)
    }
    plain += `${text.slice(copied, start)}"${placeholder}"`
    copied = start + literal.length
  }
  for (let at = 0; at < text.length; ) {
    const quotation = text.indexOf('"', at)
    const start = quotation === -1 ? text.length : quotation
    if (numbers && start > at)
      for (const { 0: number, index } of text.slice(at, start).matchAll(numbers.pattern))
        replace(at + index, number, numbers.read)
    at = endOfString(text, start) + 1
    const literal = text.slice(start, at)
    if (literal.includes('\\') && isName(text, at)) replace(start, literal, JSON.parse)
  }
  if (replaced.size === 0) return parsed
  return restore(JSON.parse(plain + text.slice(copied)), replaced)
}

/** Puts back what was replaced in a parsed value: in its arrays and objects, unless a name changes. */
function restore(value: unknown, replaced: ReadonlyMap<string, unknown>): unknown {
  if (typeof value === 'string') return replaced.get(value) ?? value
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1)
      value[index] = restore(value[index], replaced)
    return value
  }
  if (!isObject(value)) return value
  let isRenamed = false
  for (const name in value) {
    isRenamed ||= replaced.has(name)
    const member = value[name]
    const restored = restore(member, replaced)
    if (restored !== member) Reflect.set(value, name, restored)
  }
  if (!isRenamed) return value
  const members = Object.entries(value)
  return Object.fromEntries(members.map(([name, member]) => [replaced.get(name) ?? name, member]))
}

const colon = /[ \t\n\r]*:/y

/** Whether the string that ends before an index is the name of a member. */
function isName(text: string, end: number): boolean {
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
