import type { IdPart } from '../model.ts'
import type { Kind } from './kinds.ts'
import type { ReadResult } from './value-result.ts'

// Values that a column can store and that JSON:API attributes cannot express: the dates and timestamps `infinity` and `-infinity`, those of
// years before 1 and after 9999, the time `24:00:00`, and the numbers `NaN`, `Infinity` and `-Infinity`. Only PostgreSQL stores them. In ids
// they have the text that it prints in the time zone UTC, which is one text for each value (docs/decisions/0063).

/** `infinity`, or a date with an optional time. https://www.postgresql.org/docs/current/datatype-datetime.html */
const pattern =
  /^(?:(-?infinity)|(\d{4,7})-(\d\d)-(\d\d)(?: ((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{0,5}[1-9])?))?( BC)?)$/

/** The first day, 4714-11-24 BC, as year (0 is 1 BC) and `MM-DD`. */
const firstDay = [-4713, '11-24'] as const
const lastYear = { date: 5_874_897, datetime: 294_276 } as const

const isFurtherNumber = (text: string): boolean => /^(?:NaN|-?Infinity)$/.test(text)

/** Whether a text is a stored value, as the database prints it, that no attribute can have; by codec. */
const furtherValues: Readonly<Record<string, (text: string) => boolean>> = {
  date: (text) => isDistantTime(text, 'date'),
  datetime: (text) => isDistantTime(text, 'datetime'),
  time: (text) => text === '24:00:00',
  decimal: isFurtherNumber,
  decimal15: isFurtherNumber,
}

/** Whether a text is a stored date or timestamp that is none of the years 1 to 9999. */
function isDistantTime(text: string, kind: 'date' | 'datetime'): boolean {
  const [, infinity, digits = '', month = '', day = '', clock, era] = pattern.exec(text) ?? []
  if (infinity !== undefined) return true
  if ((clock === undefined) !== (kind === 'date') || digits.length !== paddedLength(digits))
    return false
  const year = era === undefined ? Number(digits) : 1 - Number(digits)
  if (!isInMonth(year, Number(month), Number(day))) return false
  if (year > 0) return year > 9999 && year <= lastYear[kind]
  const [first, monthDay] = firstDay
  return digits !== '0000' && (year > first || (year === first && `${month}-${day}` >= monthDay))
}

/** The length of a year without zeros before its first four digits. */
function paddedLength(digits: string): number {
  return Math.max(4, String(Number(digits)).length)
}

/** Whether a month of the Gregorian calendar has a day. The calendar repeats after 400 years. */
function isInMonth(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false
  const days = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
  return day <= days
}

// The text of an id over several columns (docs/decisions/0063): the texts of its parts, joined by commas. In a part `~0` stands for
// `~` and `~1` for a comma, as in a JSON Pointer (RFC 6901). Each row has exactly one text, and each text at most one row.

/** Joins the texts of the parts of an id. */
export function joinId(parts: readonly string[]): string {
  return parts.map((part) => part.replaceAll('~', '~0').replaceAll(',', '~1')).join(',')
}

/** Splits an id into the texts of its parts, `undefined` if it contains a `~` without `0` or `1` after it. */
export function splitId(id: string): string[] | undefined {
  if (/~(?![01])/.test(id)) return undefined
  return id.split(',').map((part) => part.replaceAll('~1', ',').replaceAll('~0', '~'))
}

/**
 * Creates the kind of an id over several columns. A filter value may be any stored id; the id of a new resource consists of values of
 * the kinds of its columns.
 */
export function createIdKind(parts: readonly IdPart[]): Kind<string> {
  const columns = parts.map(({ column }) => column).join(', ')
  const createRead = (readPart: typeof readNewPart) => {
    return (json: unknown): ReadResult<string> => {
      const texts = typeof json === 'string' ? splitId(json) : undefined
      const values = texts?.length === parts.length ? readParts(texts, parts, readPart) : undefined
      if (values) return { value: joinId(values) }
      return { expected: `an id, the values of ${columns} joined by commas` }
    }
  }
  const readStored = createRead(readStoredPart)
  const isOrdered = parts.every(({ kind }) => kind.operators !== 'plain')
  return {
    name: `id of ${columns}`,
    comparesAs: 'key',
    operators: isOrdered ? 'ordered' : 'plain',
    readBody: createRead(readNewPart),
    readFilterValue: readStored,
    readFilterText: readStored,
    serialize: JSON.stringify,
    schema: { type: 'string' },
    codec: 'text',
  }
}

/** Creates the kind of an id over one column: a path, or a filter, may have any stored id. */
export function createSingleIdKind(part: IdPart): Kind<string> {
  const { kind } = part
  if (!Object.hasOwn(furtherValues, String(kind.codec))) return kind
  const stored = createIdKind([part])
  const read = (json: unknown) => {
    const result = stored.readFilterValue(json)
    return 'value' in result ? result : kind.readFilterValue(json)
  }
  return { ...kind, readFilterValue: read, readFilterText: read, schema: { type: 'string' } }
}

/** Reads the texts of the parts as values in canonical form; `undefined` if one of them is invalid. */
function readParts(
  texts: readonly string[],
  parts: readonly IdPart[],
  readPart: typeof readNewPart,
): string[] | undefined {
  const values = parts.flatMap(({ kind }, index) => readPart(texts[index] ?? '', kind) ?? [])
  return values.length === parts.length ? values : undefined
}

function readNewPart(text: string, kind: Kind<string>): string | undefined {
  const result = kind.readBody(text)
  return 'value' in result ? result.value : undefined
}

/** Reads a part of a stored id. A column of PostgreSQL may contain values that no attribute can have. */
function readStoredPart(text: string, kind: Kind<string>): string | undefined {
  return furtherValues[String(kind.codec)]?.(text) ? text : readNewPart(text, kind)
}
