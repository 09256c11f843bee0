import { parseStoredInteger, storedValueError } from './stored-values.ts'
import { parseStoredInstant } from './times.ts'

/** A fixed format of datetimes as text in UTC. Texts of one format sort by time. */
interface FixedTextFormat {
  /** The digits of a second. */
  readonly digits: number
  readonly separator: ' ' | 'T'
  readonly zone: '' | 'Z' | '+00:00'
}

/** The formats of datetimes as text. */
export const datetimeTextFormats = {
  'YYYY-MM-DD HH:MM:SS': { digits: 0, separator: ' ', zone: '' },
  'YYYY-MM-DD HH:MM:SS.SSS': { digits: 3, separator: ' ', zone: '' },
  'YYYY-MM-DD HH:MM:SS.SSSSSS': { digits: 6, separator: ' ', zone: '' },
  'YYYY-MM-DDTHH:MM:SSZ': { digits: 0, separator: 'T', zone: 'Z' },
  'YYYY-MM-DDTHH:MM:SS.SSSZ': { digits: 3, separator: 'T', zone: 'Z' },
  'YYYY-MM-DDTHH:MM:SS.SSSSSSZ': { digits: 6, separator: 'T', zone: 'Z' },
  'YYYY-MM-DDTHH:MM:SS': { digits: 0, separator: 'T', zone: '' },
  'YYYY-MM-DDTHH:MM:SS.SSS': { digits: 3, separator: 'T', zone: '' },
  'YYYY-MM-DDTHH:MM:SS.SSSSSS': { digits: 6, separator: 'T', zone: '' },
  'YYYY-MM-DD HH:MM:SS+00:00': { digits: 0, separator: ' ', zone: '+00:00' },
  'YYYY-MM-DD HH:MM:SS.SSS+00:00': { digits: 3, separator: ' ', zone: '+00:00' },
  'YYYY-MM-DD HH:MM:SS.SSSSSS+00:00': { digits: 6, separator: ' ', zone: '+00:00' },
  'YYYY-MM-DDTHH:MM:SS+00:00': { digits: 0, separator: 'T', zone: '+00:00' },
  'YYYY-MM-DDTHH:MM:SS.SSS+00:00': { digits: 3, separator: 'T', zone: '+00:00' },
  'YYYY-MM-DDTHH:MM:SS.SSSSSS+00:00': { digits: 6, separator: 'T', zone: '+00:00' },
} as const satisfies Readonly<Record<string, FixedTextFormat>>

/** The names of the formats of datetimes as text. */
// `Object.keys` cannot say which names there are.
const datetimeTextFormatNames = Object.keys(datetimeTextFormats) as readonly DatetimeTextFormat[]

/** The formats of datetimes as integers: the units of a second since 1970-01-01T00:00:00Z. */
export const datetimeEpochFormats = {
  'epoch-seconds': { digits: 0, unitsPerSecond: 1 },
  'epoch-milliseconds': { digits: 3, unitsPerSecond: 1000 },
} as const

/** The formats of booleans as text: true, then false. The text for false sorts first. */
export const booleanTextFormats = {
  't/f': ['t', 'f'],
  'T/F': ['T', 'F'],
  'y/n': ['y', 'n'],
  'Y/N': ['Y', 'N'],
  'yes/no': ['yes', 'no'],
  'YES/NO': ['YES', 'NO'],
  'true/false': ['true', 'false'],
  'TRUE/FALSE': ['TRUE', 'FALSE'],
} as const satisfies Readonly<Record<string, readonly [string, string]>>

/** A format in which a column stores datetimes as text. */
export type DatetimeTextFormat = keyof typeof datetimeTextFormats
/** A format in which a column stores datetimes as integers. */
export type DatetimeEpochFormat = keyof typeof datetimeEpochFormats
/** A format in which a column stores booleans as text. */
export type BooleanTextFormat = keyof typeof booleanTextFormats

/** A format in which a column can store booleans, other than as the booleans of the database. */
export type BooleanFormat = BooleanTextFormat | '1/0'

/**
 * A format in which a column can store datetimes, other than as the timestamps of the database. A text is UTC and has exactly this
 * length; an integer counts since 1970-01-01T00:00:00Z.
 */
export type DatetimeFormat = DatetimeTextFormat | DatetimeEpochFormat

/** A format of values in a column, by which `storedAs` changes a kind. */
export type StoredFormat = BooleanFormat | DatetimeFormat

/** Whether a codec is a format of `storedAs`. */
export function isStoredFormat(codec: string): codec is StoredFormat {
  return (
    codec === '1/0' ||
    [datetimeTextFormats, datetimeEpochFormats, booleanTextFormats].some((formats) =>
      Object.hasOwn(formats, codec),
    )
  )
}

/**
 * Parses a stored datetime of a format.
 * @returns canonical text
 * @throws Error if the text does not have exactly this format
 */
export function parseDatetimeText(stored: unknown, format: DatetimeTextFormat): string {
  const value = parseStoredInstant(stored)
  if (formatDatetimeText(value, format) === stored) return value
  throw storedValueError(stored, `datetime of the format ${format}`)
}

/** Finds the format of a stored datetime; `undefined` for any other value, and for a text in none of the formats. */
export function findDatetimeTextFormat(stored: unknown): DatetimeTextFormat | undefined {
  const text = typeof stored === 'string' ? stored : ''
  const [, separator, fraction = '.', zone] =
    /^\d{4}-\d\d-\d\d([ T])\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?$/.exec(text) ?? []
  const isFormat = (format: FixedTextFormat) =>
    format.separator === separator &&
    format.digits === fraction.length - 1 &&
    format.zone === (zone ?? '')
  return datetimeTextFormatNames.find((name) => isFormat(datetimeTextFormats[name]))
}

/**
 * Describes a text with a date and a time, in whatever notation: the text with a 0 for each digit, without the offset from UTC at its
 * end, and the offset. `undefined` for any other value.
 */
export function describeDatetimeText(
  stored: unknown,
): Readonly<{ notation: string; offset: string }> | undefined {
  const text = typeof stored === 'string' ? stored : ''
  const [, time, offset = ''] =
    /^(\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d[\d:.]* ?)([+-]\d\d(?::?\d\d)?)?/.exec(text) ?? []
  if (time === undefined) return undefined
  const rest = text.slice(time.length + offset.length)
  return {
    notation: `${time.replace(/\d/g, '0')}${offset.replace(/[+-]?\d/g, '0')}${rest}`,
    offset,
  }
}

/** Formats a datetime, given in canonical text with no more digits of a second than the format has. */
export function formatDatetimeText(value: string, format: DatetimeTextFormat): string {
  const { digits, separator, zone } = datetimeTextFormats[format]
  const [seconds = '', fraction = ''] = value.slice(0, -1).split('.')
  const end = digits === 0 ? zone : `.${fraction.padEnd(digits, '0')}${zone}`
  return `${seconds.slice(0, 10)}${separator}${seconds.slice(11)}${end}`
}

const minSecond = Date.parse('0001-01-01T00:00:00Z') / 1000
const endSecond = Date.parse('9999-12-31T23:59:59Z') / 1000 + 1

/** The range of the integers of a format: the first, and the first that is too large. */
export function epochRange(format: DatetimeEpochFormat): readonly [first: number, end: number] {
  const { unitsPerSecond } = datetimeEpochFormats[format]
  return [minSecond * unitsPerSecond, endSecond * unitsPerSecond]
}

/**
 * Converts a stored integer to a datetime in canonical text.
 * @throws Error if its year does not have four digits
 */
export function parseEpoch(stored: bigint, format: DatetimeEpochFormat): string {
  const [first, end] = epochRange(format)
  if (stored < first || stored >= end) throw storedValueError(stored, `datetime in ${format}`)
  const { unitsPerSecond } = datetimeEpochFormats[format]
  const text = new Date((Number(stored) * 1000) / unitsPerSecond).toISOString()
  return text.replace(/\.?0*Z$/, 'Z')
}

/** Converts a datetime, given in canonical text with no more digits of a second than the format has, to an integer. */
export function formatEpoch(value: string, format: DatetimeEpochFormat): number {
  return Math.round((Date.parse(value) * datetimeEpochFormats[format].unitsPerSecond) / 1000)
}

/**
 * Parses a stored boolean of a format.
 * @throws Error if it is neither text of the format
 */
export function parseBooleanText(stored: unknown, format: BooleanTextFormat): boolean {
  const [yes, no] = booleanTextFormats[format]
  if (stored === yes) return true
  if (stored === no) return false
  throw storedValueError(stored, `boolean of the format ${format}`)
}

/** Formats a boolean. */
export function formatBooleanText(value: boolean, format: BooleanTextFormat): string {
  const [yes, no] = booleanTextFormats[format]
  return value ? yes : no
}

/**
 * Parses a stored value of a format.
 * @param stored - an integer as text
 * @throws Error if it does not have the format
 */
export function parseStoredFormat(stored: unknown, format: StoredFormat): string | boolean {
  if (format === '1/0') return parseBooleanInteger(stored)
  if (format in datetimeTextFormats) return parseDatetimeText(stored, format as DatetimeTextFormat)
  if (format in datetimeEpochFormats)
    return parseEpoch(parseStoredInteger(stored), format as DatetimeEpochFormat)
  return parseBooleanText(stored, format as BooleanTextFormat)
}

/** Parses a boolean that is stored as an integer. @param stored - the integer as text */
export function parseBooleanInteger(stored: unknown): boolean {
  if (stored === '1') return true
  if (stored === '0') return false
  throw storedValueError(stored, 'boolean of the format 1/0')
}
