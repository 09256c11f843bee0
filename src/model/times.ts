import { trimTrailingZeros } from './decimals.ts'
import type { ReadResult } from './read-result.ts'
import { storedValueError } from './stored-values.ts'

/** The most digits that a second is told with; the databases keep no more. */
const maxFractionDigits = 6

/** Reads a day of the calendar. */
export function readDate(json: unknown): ReadResult<string> {
  if (typeof json === 'string' && isDay(json)) return { value: json }
  return { expected: 'a date of the calendar, written YYYY-MM-DD' }
}

/** How long the months of a common year are, in days. */
const months = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/**
 * Whether the text is a day of the calendar, years 0001 to 9999, written `YYYY-MM-DD`. Every day that is read from a table
 * passes here: a regular expression takes twice as long.
 */
function isDay(text: string): boolean {
  if (text.length !== 10 || text[4] !== '-' || text[7] !== '-') return false
  const year = wholeAt(text, 0, 4)
  const month = wholeAt(text, 5, 7)
  const day = wholeAt(text, 8, 10)
  const longest = month === 2 && isLeap(year) ? 29 : months[month - 1]
  return year > 0 && day > 0 && longest !== undefined && day <= longest
}

/** The whole number that digits spell from one index to before another; NaN where there is anything else. */
function wholeAt(text: string, from: number, to: number): number {
  let whole = 0
  for (let at = from; at < to; at += 1) {
    const digit = text.charCodeAt(at) - zero
    if (digit < 0 || digit > 9) return Number.NaN
    whole = whole * 10 + digit
  }
  return whole
}

const zero = '0'.charCodeAt(0)

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

/** RFC 3339 §5.6, `date-time`: day, time, digits of the second's fraction, zone. */
const instant = /^(.{10})[Tt](\d\d:\d\d:\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)$/

/** The times of day that `readTime` takes, as a regular expression. */
export const timePattern = '^([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,6}0*)?$'

const timeExpected = 'a time of day, such as "23:59:59.999"'
const instantExpected = 'a date and time with its zone, such as "2024-02-29T12:30:00Z"'

/** Reads a date and time with its zone; the value is the same instant in UTC, in canonical spelling. */
export function readInstant(json: unknown): ReadResult<string> {
  const match = typeof json === 'string' ? instant.exec(json) : null
  if (match === null) return { expected: instantExpected }
  const [, day = '', clock = '', fraction = '', zone = ''] = match
  if (!isDay(day)) return { expected: `${instantExpected}, on a day of the calendar` }
  if (clock.endsWith(':60')) return { expected: `${instantExpected}, in no leap second` }
  if (!isClock(clock) || !isZone(zone)) return { expected: instantExpected }
  if (trimTrailingZeros(fraction).length > maxFractionDigits)
    return { expected: `${instantExpected}, with at most ${maxFractionDigits} digits of a second` }
  const value = inUtc(day, clock, fraction, zone)
  if (value !== undefined) return { value }
  return { expected: `${instantExpected}, in the years 0001 to 9999 of UTC` }
}

/** Reads a time of day without a zone; the value is in canonical spelling. */
export function readTime(json: unknown): ReadResult<string> {
  const [clock = '', fraction = ''] = typeof json === 'string' ? clockParts(json) : []
  if (clock.endsWith(':60')) return { expected: `${timeExpected}, in no leap second` }
  if (!isClock(clock)) return { expected: timeExpected }
  if (trimTrailingZeros(fraction).length > maxFractionDigits)
    return { expected: `${timeExpected}, with at most ${maxFractionDigits} digits of a second` }
  return { value: clock + point(fraction) }
}

/** Day and, where they are there, time, fraction and zone, as any program may have stored them. */
const storedInstant =
  /^(.{10})(?:[Tt ](\d\d:\d\d)(:\d\d)?(?:\.(\d*))?(?: ?(Z|z|UTC|[+-]\d\d(?::?\d\d)?))?)?$/

/**
 * Reads a stored date and time: `2009-01-01`, `2009-01-01 00:00:00`, `2009-01-01T00:00`, with a zone or, without one,
 * of UTC. Digits of the second beyond the sixth are kept.
 * @throws Error when it is none
 */
export function parseStoredInstant(stored: unknown): string {
  const match = typeof stored === 'string' ? storedInstant.exec(stored) : null
  const [, day = '', minutes = '00:00', seconds = ':00', fraction = '', zone = 'Z'] = match ?? []
  const clock = minutes + seconds
  const offset = zoneOf(zone)
  const value =
    isDay(day) && isClock(clock) && isZone(offset) ? inUtc(day, clock, fraction, offset) : undefined
  if (value !== undefined) return value
  throw storedValueError(stored, 'datetime')
}

/** `+02` and `+0200` as `+02:00`. */
function zoneOf(stored: string): string {
  if (!/^[+-]/.test(stored)) return 'Z'
  return `${stored.slice(0, 3)}:${stored.slice(3).replace(':', '') || '00'}`
}

/**
 * Reads a stored time of day; one without seconds is that of the full minute.
 * @throws Error when it is none
 */
export function parseStoredTime(stored: unknown): string {
  const text = typeof stored === 'string' && stored.length === 5 ? `${stored}:00` : stored
  const [clock = '', fraction = ''] = typeof text === 'string' ? clockParts(text) : []
  if (isClock(clock)) return clock + point(fraction)
  throw storedValueError(stored, 'time')
}

/** A day, or the midnight that it begins with, as programs write it that know of no days alone. */
const storedDay = /^(.{10})(?:[Tt ]00:00(?::00(?:\.0*)?)?(?: ?(?:[Zz]|UTC|[+-]00(?::?00)?))?)?$/

/**
 * Reads a stored day, alone or as the midnight that it begins with.
 * @throws Error when it is none
 */
export function parseStoredDate(stored: unknown): string {
  if (typeof stored === 'string' && isDay(stored)) return stored
  const [, day = ''] = (typeof stored === 'string' ? storedDay.exec(stored) : null) ?? []
  if (isDay(day)) return day
  throw storedValueError(stored, 'date')
}

/** The key of an instant in canonical spelling: without the `Z`, texts in code-point order are instants in theirs. */
export function instantKey(value: string): string {
  return value.slice(0, -1)
}

/** An instant in canonical spelling with six digits of a second or more, so that stored texts sort by time. */
export function formatFixedInstant(value: string): string {
  const [whole = '', fraction = ''] = value.slice(0, -1).split('.')
  return `${whole}.${fraction.padEnd(maxFractionDigits, '0')}Z`
}

function clockParts(text: string): readonly string[] {
  return /^(\d\d:\d\d:\d\d)(?:\.(\d+))?$/.exec(text)?.slice(1) ?? []
}

function isClock(text: string): boolean {
  return /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(text)
}

function isZone(text: string): boolean {
  return /^([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/.test(text)
}

/** The fraction of a second without what says nothing. */
function point(fraction: string): string {
  const digits = trimTrailingZeros(fraction)
  return digits === '' ? '' : `.${digits}`
}

const first = Date.parse('0001-01-01T00:00:00Z')
const last = Date.parse('9999-12-31T23:59:59Z')

/** The canonical spelling of an instant, or `undefined` when UTC has no year of four digits for it. */
function inUtc(day: string, clock: string, fraction: string, zone: string): string | undefined {
  const end = `${point(fraction)}Z`
  if (/^[Zz]$/.test(zone)) return `${day}T${clock}${end}`
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4))
  const ahead = zone.startsWith('-') ? -minutes : minutes
  const time = Date.parse(`${day}T${clock}Z`) - ahead * 60_000
  if (time < first || time > last) return undefined
  return `${new Date(time).toISOString().slice(0, 19)}${end}`
}
