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
export const furtherValues: Readonly<Record<string, (text: string) => boolean>> = {
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
