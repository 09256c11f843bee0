import { quote } from '../errors/quote.ts'
import type { ReadResult } from './read-result.ts'
import { storedValueError } from './stored-values.ts'
import { findTextViolation } from './texts.ts'

/** Any value of JSON; a whole number beyond 2^53 is a `bigint`, so that none is changed. */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly JsonValue[]
  | { readonly [member: string]: JsonValue }

/** An object or an array of JSON. */
export type Json = readonly JsonValue[] | { readonly [member: string]: JsonValue }

/** How deep objects and arrays may nest, the outermost counted. */
const deepest = 100

/** What JSON:API 1.0 takes for a name, anywhere in a document (Member Names). */
const memberName =
  /^[a-zA-Z0-9\u0080-\uffff]([a-zA-Z0-9\u0080-\uffff _-]*[a-zA-Z0-9\u0080-\uffff])?$/

/** The names that JSON:API 1.0 takes for none within an attribute's value (Attributes). */
const reserved: readonly string[] = ['relationships', 'links']

/** Reads an object or an array of JSON that every database keeps and that a JSON:API document may hold. */
export function readJson(json: unknown): ReadResult<Json> {
  if (typeof json !== 'object' || json === null) return { expected: 'a JSON object or array' }
  const fault = faultWithin(json, 1)
  // What has no fault is JSON all the way down, which the compiler cannot see.
  return fault === undefined
    ? { value: json as Json }
    : { expected: `a JSON object or array ${fault}` }
}

/** What keeps a value from being an attribute's, or a part of one. */
function faultWithin(value: unknown, depth: number): string | undefined {
  switch (typeof value) {
    case 'string': {
      const fault = findTextViolation(value)
      return fault && `with strings ${fault}`
    }
    case 'number':
      return Number.isFinite(value) ? undefined : 'with numbers that a double can hold'
    case 'object': {
      if (value === null) return undefined
      if (depth > deepest) return `nested at most ${deepest} deep`
      const isArray = Array.isArray(value)
      for (const [name, each] of Object.entries(value)) {
        const fault = (isArray ? undefined : nameFault(name)) ?? faultWithin(each, depth + 1)
        if (fault !== undefined) return fault
      }
    }
  }
  return undefined
}

function nameFault(name: string): string | undefined {
  const isName = memberName.test(name) && name.isWellFormed() && !reserved.includes(name)
  return isName ? undefined : `whose member names JSON:API allows there; ${quote(name)} is none`
}

/** Writes a value as JSON text, `bigint`s as the numbers they are. */
export function serializeJson(value: JsonValue): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(serializeJson).join(',')}]`
  const members = Object.entries(value).map(
    ([name, each]) => `${JSON.stringify(name)}:${serializeJson(each)}`,
  )
  return `{${members.join(',')}}`
}

/**
 * Reads stored JSON text. What others stored is told as it is, be it a mere number or have names that no client may send.
 * The text `null` is null: many programs store it where they mean that there is nothing.
 * @throws Error when it is no JSON text
 */
export function parseStoredJson(stored: unknown): JsonValue {
  const json = typeof stored === 'string' ? parsed(stored) : undefined
  if (json === undefined) throw storedValueError(stored, 'json')
  // What was parsed is JSON all the way down, which the compiler cannot see.
  return json as JsonValue
}

/** A whole number that a double may not hold: worth a second, slower look. */
const longNumber = /\d{16}/

function parsed(text: string): unknown {
  try {
    return longNumber.test(text) ? JSON.parse(text, exactly) : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A reviver; its third argument (JSON.parse source text access, ES2026) is not in TypeScript's library yet. */
function exactly(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const source = context?.source
  return source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value
}
