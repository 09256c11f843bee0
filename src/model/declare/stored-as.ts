import { suggest } from '../../errors/suggestion.ts'
import type { Kind } from '../kinds/kinds.ts'
import {
  type BooleanFormat,
  booleanTextFormats,
  type DatetimeFormat,
  datetimeEpochFormats,
  datetimeTextFormats,
  type StoredFormat,
} from '../kinds/stored-formats.ts'
import type { ReadResult } from '../kinds/value-result.ts'

const booleanFormats: readonly string[] = [...Object.keys(booleanTextFormats), '1/0']
const datetimeDigits: Readonly<Record<DatetimeFormat, number>> = {
  ...mapDigits(datetimeTextFormats),
  ...mapDigits(datetimeEpochFormats),
}

function mapDigits<Name extends string>(
  formats: Readonly<Record<Name, Readonly<{ digits: number }>>>,
): Record<Name, number> {
  const digits = Object.entries<Readonly<{ digits: number }>>(formats).map(
    ([name, format]) => [name, format.digits] as const,
  )
  // Each name has its digits. `Object.fromEntries` cannot say which names there are.
  return Object.fromEntries(digits) as Record<Name, number>
}

/**
 * Changes how `boolean` or `datetime` is stored: in the format in which another program writes it. Requests and responses stay the
 * same. Filters and sorts compare the stored values, so that an index of the column is used. A datetime with more digits of a
 * second than the format has is rejected, also in a filter, and a stored value in another format does not belong to the kind, because
 * `eq` would miss it. Filters and sorts of a plain `datetime` call a function for each row on SQLite.
 *
 * @param kind - `boolean` or `datetime`
 * @param format - e.g. `Y/N`, `epoch-milliseconds` or `YYYY-MM-DD HH:MM:SS`
 * @throws RangeError if the kind does not have the format
 */
export function storedAs(kind: Kind<boolean>, format: BooleanFormat): Kind<boolean, 'plain'>
/** Changes how `datetime` is stored. */
export function storedAs(kind: Kind<string>, format: DatetimeFormat): Kind<string, 'ordered'>
/** Changes the codec of a kind. */
export function storedAs<Value>(kind: Kind<Value>, format: StoredFormat): Kind<Value> {
  const formats = kind.codec === 'datetime' ? Object.keys(datetimeDigits) : booleanFormats
  if (kind.codec !== 'datetime' && kind.codec !== 'boolean')
    throw new RangeError(`storedAs: the kind must be boolean or datetime; it is ${kind.name}`)
  if (!formats.includes(format))
    throw new RangeError(
      `storedAs: ${kind.name} has no format "${format}"; ${suggest(format, formats, 'formats')}`,
    )
  const stored = { ...kind, name: `${kind.name} as ${format}`, comparesAs: format, codec: format }
  return kind.codec === 'boolean'
    ? stored
    : limitDigits(stored, datetimeDigits[format as DatetimeFormat])
}

/** Rejects datetimes with more digits of a second, in bodies and in filters. */
function limitDigits<Value>(kind: Kind<Value>, digits: number): Kind<Value> {
  const limit = (result: ReadResult<Value>): ReadResult<Value> => {
    if (!('value' in result)) return result
    const [, fraction = ''] = /\.(\d+)/.exec(String(result.value)) ?? []
    if (fraction.length <= digits) return result
    const precision = digits === 0 ? 'without a fraction' : `with at most ${digits} digits`
    return { expected: `a date and time ${precision} of a second` }
  }
  return {
    ...kind,
    readBody: (json) => limit(kind.readBody(json)),
    readFilterValue: (json) => limit(kind.readFilterValue(json)),
    readFilterText: (text) => limit(kind.readFilterText(text)),
  }
}
