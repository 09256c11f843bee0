import { type JsonValue, serializeJson } from '../model/kinds/json.ts'
import type { Kind } from '../model/kinds/kinds.ts'
import { type Html, h } from './element.ts'

/** The characters of a value in a table; a page of a resource shows the complete value. */
const briefLength = 160

/** How much of a value is shown. */
type Extent = 'brief' | 'complete'

/** Renders the value of an attribute as text. Only an `http` or `https` address becomes a link. */
export function renderValue(value: JsonValue | undefined, extent: Extent): Html {
  if (value === undefined) return h('span', null)
  if (value === null) return h('span', { class: 'null' }, 'null')
  if (typeof value === 'string') return renderText(value, extent)
  if (typeof value === 'object') return renderJsonValue(serializeJson(value), extent)
  return h('span', { class: typeof value }, String(value))
}

function renderJsonValue(json: string, extent: Extent): Html {
  return h('code', { class: toWrapClass(json) }, shorten(json, extent))
}

/** Isolates a text from its surroundings, so that marks of direction in it change nothing else (Unicode UAX #9). */
function renderText(text: string, extent: Extent): Html {
  const shown = h('bdi', { class: `text ${toWrapClass(text)}` }, shorten(text, extent))
  return isWebAddress(text) ? h('a', { href: text, rel: 'noreferrer noopener' }, shown) : shown
}

/** The characters of a text that stays on one line in a table, e.g. a date. */
const lineLength = 24

/** Returns the class of short texts, which a table does not wrap. */
export function toWrapClass(text: string): string {
  return text.length <= lineLength ? 'short' : 'long'
}

function shorten(text: string, extent: Extent): string {
  if (extent === 'complete' || text.length <= briefLength) return text
  return `${text.slice(0, briefLength).toWellFormed()}…`
}

/** True for an absolute address that is safe as a link. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s]+$/i.test(text) && text.length < 2048 && URL.canParse(text)
}

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
