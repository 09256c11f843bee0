import { quote } from '../../errors/quote.ts'
import { type Json, type JsonValue, parseExactJson } from './json.ts'
import { isMemberName, isReservedName } from './member-names.ts'
import { storedValueError } from './stored-values.ts'
import { findTextViolation } from './texts.ts'
import type { ReadResult } from './value-result.ts'

/** The maximum nesting depth of an attribute's objects and arrays, the outermost one counted. */
const maxDepth = 100

/** Reads a JSON object or array that every database can store and that JSON:API allows as an attribute. */
export function readJson(json: unknown): ReadResult<Json> {
  if (typeof json !== 'object' || json === null) return { expected: 'a JSON object or array' }
  const violation = findViolation(json, 1)
  // Without a violation it is JSON at every level. TypeScript cannot see that.
  return violation === undefined
    ? { value: json as Json }
    : { expected: `a JSON object or array ${violation}` }
}

/** Returns the first rule that a value breaks, as the end of the sentence "must be a JSON object or array …". */
function findViolation(value: unknown, depth: number): string | undefined {
  switch (typeof value) {
    case 'string': {
      const violation = findTextViolation(value)
      return violation && `with strings ${violation}`
    }
    case 'number':
      return Number.isFinite(value) ? undefined : 'with numbers that fit in a double'
    case 'object':
      return value === null ? undefined : findNestedViolation(value, depth)
  }
  return undefined
}

function findNestedViolation(value: object, depth: number): string | undefined {
  if (depth > maxDepth) return `nested at most ${maxDepth} levels deep`
  const isArray = Array.isArray(value)
  for (const [name, member] of Object.entries(value)) {
    const violation =
      (isArray ? undefined : findNameViolation(name)) ?? findViolation(member, depth + 1)
    if (violation !== undefined) return violation
  }
  return undefined
}

function findNameViolation(name: string): string | undefined {
  if (isMemberName(name) && name.isWellFormed() && !isReservedName(name)) return undefined
  return `with member names that JSON:API allows; ${quote(name)} is not allowed`
}

/**
 * Parses stored JSON text. The rules for clients do not apply: the text may be a plain number or contain any member name.
 * The text `null` becomes null, because many programs store it for "no value".
 * @throws Error if it is not JSON text
 */
export function parseStoredJson(stored: unknown): JsonValue {
  const json = typeof stored === 'string' ? tryParse(stored) : undefined
  if (json === undefined) throw storedValueError(stored, 'json')
  // Parsed text is JSON at every level. TypeScript cannot see that.
  return json as JsonValue
}

function tryParse(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return undefined
  }
}
