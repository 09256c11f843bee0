/**
 * Reads, compares and serializes the values of each kind. It follows the documentation of the kinds and shares no code with the
 * engine.
 */

import type { AttributeDescription, JsonValue, Kind, Value } from '../schema.ts'
import { compareText } from './reference-text.ts'

/** A kind of the reference. */
interface KindRow {
  /** Kinds of one group can be compared with each other. */
  readonly group: string
  /** The class of its operators. Each class has the operators of those before it. */
  readonly operators: 'opaque' | 'plain' | 'ordered' | 'textual'
  /** Reads a value of a body or a filter, which is not null. */
  readonly read: (json: JsonValue) => Value
  /** The value in a document, never null. */
  readonly serialize: (value: Value, attribute: AttributeDescription) => JsonValue
}

const asItIs = (value: Value): Value => value
const whole = (json: JsonValue): Value => BigInt(String(json))

/** A number of a document: a double if it is exact. */
function number(value: Value): JsonValue {
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value
}

// biome-ignore format: a table, one kind a row
/** Every kind. */
export const kinds: Readonly<Record<Kind, KindRow>> = {
  id:          { group: 'number',      operators: 'ordered', read: whole,        serialize: String },
  key:         { group: 'key',         operators: 'ordered', read: readKey,      serialize: serializeKey },
  text:        { group: 'text',        operators: 'textual', read: asItIs,       serialize: asItIs },
  email:       { group: 'text',        operators: 'textual', read: asItIs,       serialize: asItIs },
  url:         { group: 'text',        operators: 'textual', read: asItIs,       serialize: asItIs },
  integer:     { group: 'number',      operators: 'ordered', read: whole,        serialize: number },
  integer64:   { group: 'number',      operators: 'ordered', read: whole,        serialize: serializeInteger64 },
  decimal:     { group: 'decimal',     operators: 'ordered', read: readDecimal,  serialize: serializeDecimal },
  number:      { group: 'number',      operators: 'ordered', read: readNumber,   serialize: serializeNumber },
  boolean:     { group: 'boolean',     operators: 'plain',   read: readBoolean,  serialize: asItIs },
  date:        { group: 'date',        operators: 'ordered', read: asItIs,       serialize: asItIs },
  datetime:    { group: 'datetime',    operators: 'ordered', read: readInstant,  serialize: serializeInstant },
  time:        { group: 'time',        operators: 'ordered', read: readTime,     serialize: serializeTime },
  uuid:        { group: 'uuid',        operators: 'plain',   read: lowerCase,    serialize: asItIs },
  enumeration: { group: 'enumeration', operators: 'plain',   read: asItIs,       serialize: asItIs },
  json:        { group: 'json',        operators: 'opaque',  read: asItIs,       serialize: asItIs },
  bytes:       { group: 'bytes',       operators: 'opaque',  read: asItIs,       serialize: asItIs },
}

/** Orders two values of one group: numbers by size, false before true, texts by code point. */
export function compareValues(left: Value, right: Value): number {
  if (isNumber(left) && isNumber(right)) return left < right ? -1 : Number(left > right)
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right)
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right)
  throw new Error(`the reference cannot compare ${typeof left} with ${typeof right}`)
}

// JavaScript compares a `bigint` with a number without rounding.
function isNumber(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

function serializeInteger64(value: Value, { largeValuesAs }: AttributeDescription): JsonValue {
  const serialized = number(value)
  return typeof serialized === 'bigint' && largeValuesAs === 'string'
    ? String(serialized)
    : serialized
}

function readNumber(json: JsonValue): Value {
  // 0 and −0 are the same number everywhere.
  return Number(json) + 0
}

/** Whole numbers are returned as digits only, and are read again exactly. */
function serializeNumber(value: Value): JsonValue {
  const serialized = JSON.stringify(value)
  return /^-?\d+$/.test(serialized) ? number(BigInt(serialized)) : value
}

function readBoolean(json: JsonValue): Value {
  return typeof json === 'string' ? json === 'true' : json
}

/** Keys are the number and the text, and are compared as texts: the number always has three digits. */
function readKey(json: JsonValue): Value {
  return String(json).replace(/~[01]/g, (pair) => (pair === '~0' ? '~' : ','))
}

function serializeKey(value: Value): JsonValue {
  const text = String(value)
  return text.slice(0, 4) + text.slice(4).replace(/[~,]/g, (each) => (each === '~' ? '~0' : '~1'))
}

function lowerCase(json: JsonValue): Value {
  return String(json).toLowerCase()
}

/** Decimals are whole numbers of 10^−60, which is smaller than the last digit of any test value. */
const places = 60

function readDecimal(json: JsonValue): Value {
  const [, before = '', after = ''] = /^(-?\d+)(?:\.(\d+))?$/.exec(String(json)) ?? []
  return BigInt(before + after.padEnd(places, '0'))
}

function serializeDecimal(value: Value, { scale = 0 }: AttributeDescription): JsonValue {
  const text = String(value)
  const digits = text.replace('-', '').padStart(places + 1, '0')
  const after = digits.slice(-places).replace(/0+$/, '').padEnd(scale, '0')
  const sign = text.startsWith('-') ? '-' : ''
  return `${sign}${digits.slice(0, -places)}${after === '' ? '' : `.${after}`}`
}

const million = 1_000_000n

/** Instants are microseconds since the beginning of 1970. */
function readInstant(json: JsonValue): Value {
  const text = String(json).toUpperCase()
  const [, clock = '', fraction = '', zone = ''] = /^(.{19})(?:\.(\d+))?(.*)$/.exec(text) ?? []
  const seconds = BigInt(Date.parse(clock + zone)) / 1000n
  return seconds * million + microseconds(fraction)
}

function serializeInstant(value: Value): JsonValue {
  const instant = BigInt(String(value))
  const rest = ((instant % million) + million) % million
  const seconds = Number((instant - rest) / million)
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}${point(rest)}Z`
}

/** Times of day are microseconds since midnight. */
function readTime(json: JsonValue): Value {
  const [clock = '', fraction = ''] = String(json).split('.')
  const [hours = 0n, minutes = 0n, seconds = 0n] = clock.split(':').map(BigInt)
  return (hours * 3600n + minutes * 60n + seconds) * million + microseconds(fraction)
}

function serializeTime(value: Value): JsonValue {
  const time = BigInt(String(value))
  const seconds = time / million
  const parts = [seconds / 3600n, (seconds / 60n) % 60n, seconds % 60n]
  const clock = parts.map((part) => String(part).padStart(2, '0')).join(':')
  return clock + point(time % million)
}

function microseconds(fraction: string): bigint {
  return BigInt(fraction.slice(0, 6).padEnd(6, '0'))
}

function point(rest: bigint): string {
  return rest === 0n ? '' : `.${String(rest).padStart(6, '0').replace(/0+$/, '')}`
}
