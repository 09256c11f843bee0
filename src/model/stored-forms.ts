import { parseStoredInteger, storedValueError } from './stored-values.ts'
import { parseStoredInstant } from './times.ts'

/** A fixed form of datetimes as text in UTC. Texts of one form sort by time. */
interface TextForm {
  /** The digits of a second. */
  readonly digits: number
  readonly separator: ' ' | 'T'
  readonly zone: '' | 'Z'
}

/** The forms of datetimes as text. */
export const datetimeTextForms = {
  'YYYY-MM-DD HH:MM:SS': { digits: 0, separator: ' ', zone: '' },
  'YYYY-MM-DD HH:MM:SS.SSS': { digits: 3, separator: ' ', zone: '' },
  'YYYY-MM-DD HH:MM:SS.SSSSSS': { digits: 6, separator: ' ', zone: '' },
  'YYYY-MM-DDTHH:MM:SSZ': { digits: 0, separator: 'T', zone: 'Z' },
  'YYYY-MM-DDTHH:MM:SS.SSSZ': { digits: 3, separator: 'T', zone: 'Z' },
  'YYYY-MM-DDTHH:MM:SS.SSSSSSZ': { digits: 6, separator: 'T', zone: 'Z' },
} as const satisfies Readonly<Record<string, TextForm>>

/** The forms of datetimes as integers: the units of a second since 1970-01-01T00:00:00Z. */
export const datetimeEpochForms = {
  'epoch-seconds': { digits: 0, unitsPerSecond: 1 },
  'epoch-milliseconds': { digits: 3, unitsPerSecond: 1000 },
} as const

/** The forms of booleans as text: true, then false. The text for false sorts first. */
export const booleanTextForms = {
  't/f': ['t', 'f'],
  'T/F': ['T', 'F'],
  'y/n': ['y', 'n'],
  'Y/N': ['Y', 'N'],
  'yes/no': ['yes', 'no'],
  'YES/NO': ['YES', 'NO'],
  'true/false': ['true', 'false'],
  'TRUE/FALSE': ['TRUE', 'FALSE'],
} as const satisfies Readonly<Record<string, readonly [string, string]>>

/** A form in which a column stores datetimes as text. */
export type DatetimeTextForm = keyof typeof datetimeTextForms
/** A form in which a column stores datetimes as integers. */
export type DatetimeEpochForm = keyof typeof datetimeEpochForms
/** A form in which a column stores booleans as text. */
export type BooleanTextForm = keyof typeof booleanTextForms

/** A form in which a column can store booleans, other than as the booleans of the database. */
export type BooleanForm = BooleanTextForm | '1/0'

/**
 * A form in which a column can store datetimes, other than as the timestamps of the database. A text is UTC and has exactly this
 * length; an integer counts since 1970-01-01T00:00:00Z.
 */
export type DatetimeForm = DatetimeTextForm | DatetimeEpochForm

/** A form of values in a column, by which `storedAs` changes a kind. */
export type StoredForm = BooleanForm | DatetimeForm

/** Whether a codec is a form of `storedAs`. */
export function isStoredForm(codec: string): codec is StoredForm {
  return (
    codec === '1/0' ||
    [datetimeTextForms, datetimeEpochForms, booleanTextForms].some((forms) =>
      Object.hasOwn(forms, codec),
    )
  )
}

/**
 * Parses a stored datetime of a form.
 * @returns canonical text
 * @throws Error if the text does not have exactly this form
 */
export function parseDatetimeText(stored: unknown, form: DatetimeTextForm): string {
  const value = parseStoredInstant(stored)
  if (formatDatetimeText(value, form) === stored) return value
  throw storedValueError(stored, `datetime of the form ${form}`)
}

/** Formats a datetime, given in canonical text with no more digits of a second than the form has. */
export function formatDatetimeText(value: string, form: DatetimeTextForm): string {
  const { digits, separator, zone } = datetimeTextForms[form]
  const [seconds = '', fraction = ''] = value.slice(0, -1).split('.')
  const end = digits === 0 ? zone : `.${fraction.padEnd(digits, '0')}${zone}`
  return `${seconds.slice(0, 10)}${separator}${seconds.slice(11)}${end}`
}

const minSecond = Date.parse('0001-01-01T00:00:00Z') / 1000
const endSecond = Date.parse('9999-12-31T23:59:59Z') / 1000 + 1

/** The range of the integers of a form: the first, and the first that is too large. */
export function epochRange(form: DatetimeEpochForm): readonly [first: number, end: number] {
  const { unitsPerSecond } = datetimeEpochForms[form]
  return [minSecond * unitsPerSecond, endSecond * unitsPerSecond]
}

/**
 * Converts a stored integer to a datetime in canonical text.
 * @throws Error if its year does not have four digits
 */
export function parseEpoch(stored: bigint, form: DatetimeEpochForm): string {
  const [first, end] = epochRange(form)
  if (stored < first || stored >= end) throw storedValueError(stored, `datetime in ${form}`)
  const { unitsPerSecond } = datetimeEpochForms[form]
  const text = new Date((Number(stored) * 1000) / unitsPerSecond).toISOString()
  return text.replace(/\.?0*Z$/, 'Z')
}

/** Converts a datetime, given in canonical text with no more digits of a second than the form has, to an integer. */
export function formatEpoch(value: string, form: DatetimeEpochForm): number {
  return Math.round((Date.parse(value) * datetimeEpochForms[form].unitsPerSecond) / 1000)
}

/**
 * Parses a stored boolean of a form.
 * @throws Error if it is neither text of the form
 */
export function parseBooleanText(stored: unknown, form: BooleanTextForm): boolean {
  const [yes, no] = booleanTextForms[form]
  if (stored === yes) return true
  if (stored === no) return false
  throw storedValueError(stored, `boolean of the form ${form}`)
}

/** Formats a boolean. */
export function formatBooleanText(value: boolean, form: BooleanTextForm): string {
  const [yes, no] = booleanTextForms[form]
  return value ? yes : no
}

/**
 * Parses a stored value of a form.
 * @param stored - an integer as text
 * @throws Error if it does not have the form
 */
export function parseStoredForm(stored: unknown, form: StoredForm): string | boolean {
  if (form === '1/0') return parseBooleanInteger(stored)
  if (form in datetimeTextForms) return parseDatetimeText(stored, form as DatetimeTextForm)
  if (form in datetimeEpochForms)
    return parseEpoch(parseStoredInteger(stored), form as DatetimeEpochForm)
  return parseBooleanText(stored, form as BooleanTextForm)
}

/** Parses a boolean that is stored as an integer. @param stored - the integer as text */
export function parseBooleanInteger(stored: unknown): boolean {
  if (stored === '1') return true
  if (stored === '0') return false
  throw storedValueError(stored, 'boolean of the form 1/0')
}
