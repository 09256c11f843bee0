import type { Kind } from '../model/kinds.ts'

/** Examples of values whose notation an input does not show, by the names of kinds. */
const hints: Readonly<Record<string, string>> = {
  datetime: '2024-02-29T12:30:00Z',
  time: '12:30:00',
  decimal: '12.50',
  uuid: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
  email: 'ada@example.org',
  url: 'https://example.org/',
  bytes: 'AAEC/w== (base64)',
  json: '{"key": "value"}',
  array: '[…, …]',
}

/** Returns an example of a value of a kind for an empty input; `undefined` if its notation is plain. */
export function findValueHint({ name }: Kind<unknown>): string | undefined {
  // The name of a kind may have its stored form, such as `datetime as epoch-seconds`, or the kind of its elements.
  const [base = ''] = name.split(' ')
  return Object.hasOwn(hints, base) ? hints[base] : undefined
}
