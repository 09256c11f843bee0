import { suggest } from '../errors/suggestion.ts'
import type { Kind } from './kinds.ts'
import {
  type BooleanForm,
  booleanTextForms,
  type DatetimeForm,
  datetimeEpochForms,
  datetimeTextForms,
  type StoredForm,
} from './stored-forms.ts'
import type { ReadResult } from './value-result.ts'

const booleanForms: readonly string[] = [...Object.keys(booleanTextForms), '1/0']
const datetimeDigits: Readonly<Record<DatetimeForm, number>> = {
  ...mapDigits(datetimeTextForms),
  ...mapDigits(datetimeEpochForms),
}

function mapDigits<Name extends string>(
  forms: Readonly<Record<Name, Readonly<{ digits: number }>>>,
): Record<Name, number> {
  const digits = Object.entries<Readonly<{ digits: number }>>(forms).map(
    ([name, form]) => [name, form.digits] as const,
  )
  // Each name has its digits. `Object.fromEntries` cannot say which names there are.
  return Object.fromEntries(digits) as Record<Name, number>
}

/**
 * Changes how `boolean` or `datetime` is stored: in the form in which another program writes it. Requests and responses stay the
 * same. Filters and sorts compare the stored values, so that an index of the column is used. A datetime with more digits of a
 * second than the form has is rejected, also in a filter.
 *
 * @param kind - `boolean` or `datetime`
 * @param form - e.g. `Y/N`, `epoch-milliseconds` or `YYYY-MM-DD HH:MM:SS`
 * @throws RangeError if the kind does not have the form
 * @see docs/decisions/0055-declared-forms-of-stored-values.md
 */
export function storedAs(kind: Kind<boolean>, form: BooleanForm): Kind<boolean, 'plain'>
/** Changes how `datetime` is stored. */
export function storedAs(kind: Kind<string>, form: DatetimeForm): Kind<string, 'ordered'>
/** Changes the codec of a kind. */
export function storedAs<Value>(kind: Kind<Value>, form: StoredForm): Kind<Value> {
  const forms = kind.codec === 'datetime' ? Object.keys(datetimeDigits) : booleanForms
  if (kind.codec !== 'datetime' && kind.codec !== 'boolean')
    throw new RangeError(`storedAs: the kind must be boolean or datetime; it is ${kind.name}`)
  if (!forms.includes(form))
    throw new RangeError(
      `storedAs: ${kind.name} has no form "${form}"; ${suggest(form, forms, 'forms')}`,
    )
  const stored = { ...kind, name: `${kind.name} as ${form}`, comparesAs: form, codec: form }
  return kind.codec === 'boolean'
    ? stored
    : limitDigits(stored, datetimeDigits[form as DatetimeForm])
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
