/** A whole number that a double may not hold: worth a second, slower look. */
const longNumber = /\d{16}/

/** How many arrays and objects may nest, the outermost counted: no function that visits a value runs out of stack. */
export const deepestJson = 256

/** A text of JSON whose arrays and objects nest deeper than `deepestJson`. */
export class NestingError extends Error {
  constructor() {
    super(`is nested more than ${deepestJson} levels deep`)
    this.name = 'NestingError'
  }
}

/**
 * Parses JSON; whole numbers beyond 2^53 come out as exact `bigint`s instead of the nearest double.
 * @throws NestingError when the text nests too deep; SyntaxError when it is not JSON
 * @see RFC 8259 §6 and §9
 */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw new NestingError()
  return longNumber.test(text) ? JSON.parse(text, exactly) : JSON.parse(text)
}

/** The codes of the characters that matter. */
// biome-ignore format: a table
const code = { quotationMark: 0x22, beginArray: 0x5b, backslash: 0x5c, endArray: 0x5d, beginObject: 0x7b, endObject: 0x7d }

/** Whether a text of JSON nests too deep; says nothing of use about any other text. */
function isTooDeep(text: string): boolean {
  const { length } = text
  // Most texts are too short for it, or have too few brackets, which are found fast.
  if (length <= deepestJson || countOf('[', text) + countOf('{', text) <= deepestJson) return false
  let depth = 0
  for (let at = 0; at < length; at += 1) {
    const here = text.charCodeAt(at)
    if (here === code.quotationMark) at = endOfString(text, at)
    else if (here === code.beginArray || here === code.beginObject) {
      depth += 1
      if (depth > deepestJson) return true
    } else if (here === code.endArray || here === code.endObject) depth -= 1
  }
  return false
}

/** How often a character occurs in a text, counted no further than matters. */
function countOf(character: string, text: string): number {
  let count = 0
  let at = text.indexOf(character)
  while (at !== -1 && count <= deepestJson) {
    count += 1
    at = text.indexOf(character, at + 1)
  }
  return count
}

/** Where the string that begins at `start` ends. */
function endOfString(text: string, start: number): number {
  const { length } = text
  for (let at = start + 1; at < length; at += 1) {
    const here = text.charCodeAt(at)
    if (here === code.quotationMark) return at
    // The character behind a backslash ends no string.
    if (here === code.backslash) at += 1
  }
  return length
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
  return 'it is not UTF-8'
}
