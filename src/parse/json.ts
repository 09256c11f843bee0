import { characters, endOfString, parseExactJson } from '../model/kinds/json.ts'

/**
 * The maximum nesting depth of arrays and objects, the outermost one counted. It keeps every recursive function over a
 * parsed value within the stack.
 */
const maxJsonDepth = 256
/** The digits of an integer; more than those of any value (`maxDigits` in `src/model/kinds/decimals.ts`). */
const maxIntegerLength = 2000

/** A JSON text whose arrays and objects are nested deeper than `maxJsonDepth`. Its message is a predicate. */
export class NestingError extends Error {
  constructor() {
    super(`is nested more than ${maxJsonDepth} levels deep`)
    this.name = 'NestingError'
  }
}

/**
 * Parses JSON. Integers beyond 2^53 become exact `bigint`s instead of the nearest double.
 * @param bytes - the text as UTF-8, if it is known
 * @throws NestingError if the text is nested too deep; SyntaxError if it is not JSON, or has an integer that is too long
 * @see https://www.rfc-editor.org/rfc/rfc8259#section-6
 */
export function parseJson(text: string, bytes?: Uint8Array): unknown {
  // Most texts are too short to be nested too deep, or have too few brackets, which is quick to find out.
  const mayBeTooDeep =
    text.length > maxJsonDepth && countOf('[', text) + countOf('{', text) > maxJsonDepth
  if (mayBeTooDeep && isTooDeep(bytes ?? new TextEncoder().encode(text))) throw new NestingError()
  return parseExactJson(text, maxIntegerLength)
}

/** Whether JSON in UTF-8 is nested too deep. The result is meaningless for what is not JSON. Bytes are read in half of the time of a text. */
function isTooDeep(bytes: Uint8Array): boolean {
  const { length } = bytes
  let depth = 0
  let isInString = false
  for (let index = 0; index < length; index += 1) {
    const char = bytes[index]
    if (char === characters.quotationMark) isInString = !isInString
    else if (isInString) index += char === characters.backslash ? 1 : 0
    else if (char === characters.beginArray || char === characters.beginObject) {
      depth += 1
      if (depth > maxJsonDepth) return true
    } else if (char === characters.endArray || char === characters.endObject) depth -= 1
  }
  return false
}

/** Counts a character in a text and stops above `maxJsonDepth`. */
function countOf(character: string, text: string): number {
  let count = 0
  let index = text.indexOf(character)
  while (index !== -1 && count <= maxJsonDepth) {
    count += 1
    index = text.indexOf(character, index + 1)
  }
  return count
}

/** The most members that `findRepeated` returns. */
const maxRepeated = 100

/**
 * Finds the members whose names are repeated in their object, of which `JSON.parse` keeps the last.
 * @param text - JSON, nested at most `maxJsonDepth` deep
 * @returns the path of each: names of members, and positions in arrays
 */
export function findRepeated(text: string): (readonly (string | number)[])[] {
  const { length } = text
  const found: (readonly (string | number)[])[] = []
  const open: { names: Set<string> | undefined; at: string | number }[] = []
  let isName = false
  for (let index = 0; index < length && found.length < maxRepeated; index += 1) {
    const char = text.charCodeAt(index)
    const inner = open.at(-1)
    if (char === characters.quotationMark) {
      const end = endOfString(text, index)
      if (isName && inner?.names) {
        const name = readName(text.slice(index + 1, end))
        inner.at = name
        if (inner.names.has(name)) found.push(open.map(({ at }) => at))
        inner.names.add(name)
      }
      isName = false
      index = end
    } else if (char === characters.beginObject || char === characters.beginArray) {
      isName = char === characters.beginObject
      open.push({ names: isName ? new Set() : undefined, at: 0 })
    } else if (char === characters.endObject || char === characters.endArray) open.pop()
    else if (char === characters.comma && inner) {
      isName = inner.names !== undefined
      if (typeof inner.at === 'number') inner.at += 1
    }
  }
  return found
}

function readName(raw: string): string {
  return raw.includes('\\') ? JSON.parse(`"${raw}"`) : raw
}

/** The type of a JSON value with its article, for an error detail. */
export function describeJsonType(json: unknown): string {
  if (json === undefined) return 'nothing'
  if (json === null) return 'null'
  if (Array.isArray(json)) return 'an array'
  if (typeof json === 'object') return 'an object'
  return typeof json === 'bigint' ? 'a number' : `a ${typeof json}`
}

/** Why a text could not be parsed as JSON, as a clause of an error detail. */
export function describeJsonError(error: unknown): string {
  if (error instanceof SyntaxError)
    return error.message.replace(/\s+/g, ' ').slice(0, 160).toWellFormed()
  return 'it is not UTF-8'
}
