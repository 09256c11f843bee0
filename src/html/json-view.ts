import { isObject, parseJsonValues } from '../model/kinds/json.ts'
import { type Html, h } from './element.ts'
import { isWebAddress } from './values.ts'

/** The longest document that is shown as JSON, in UTF-16 code units. */
const maxShownLength = 128 * 1024
/** The longest text within a document that is shown completely. */
const maxTextLength = 1000
/** The longest indentation, in characters. Each element of a deeper value repeats it. */
const maxIndentation = 40

/** Renders a document as indented JSON in which links can be followed. @param text - the document */
export function renderJson(text: string): Html {
  if (text.length > maxShownLength)
    return h(
      'p',
      null,
      `The document has ${text.length.toLocaleString('en')} characters; see the request below to load it.`,
    )
  const document = parseJsonValues(text, {
    pattern: /-?\d[\d.eE+-]*/g,
    read: (digits) => new NumberText(digits),
  })
  return h(
    'pre',
    { tabIndex: 0, role: 'region', 'aria-label': 'JSON of this page' },
    h(
      'code',
      null,
      renderAny(document, { newline: '\n', isLink: false, linked: listLinked(document) }),
    ),
  )
}

/** A number with its digits as sent. */
class NumberText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** The names of the members whose paths are links: in the root document also the paths of the types. */
function listLinked(document: unknown): ReadonlySet<string> {
  const isRoot = isObject(document) && isObject(document.meta) && isObject(document.meta.resources)
  return new Set(isRoot && !('data' in document) ? ['links', 'path'] : ['links'])
}

/** Where a value is. */
interface ValuePlace {
  /** A line break and the indentation. */
  readonly newline: string
  /** Whether a path is a link. */
  readonly isLink: boolean
  readonly linked: ReadonlySet<string>
}

function renderAny(value: unknown, { newline, isLink, linked }: ValuePlace): Html {
  if (value instanceof NumberText) return h('span', { class: 'number' }, value.text)
  if (typeof value === 'string') return renderString(value, isLink)
  if (typeof value !== 'object' || value === null)
    return h('span', { class: 'keyword' }, String(value))
  const deeper = newline.length > maxIndentation ? newline : `${newline}  `
  // The path of a list that needs parameters is the address of an error.
  const isLinked = (name: string) => linked.has(name) && !(name === 'path' && 'parameters' in value)
  const members = Array.isArray(value)
    ? value.map((item) => [deeper, renderAny(item, { newline: deeper, isLink, linked })])
    : Object.entries(value).map(([name, member]) => [
        deeper,
        h('span', { class: 'member' }, JSON.stringify(name)),
        ': ',
        renderAny(member, { newline: deeper, isLink: isLink || isLinked(name), linked }),
      ])
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (members.length === 0) return open + close
  return [open, members.map((member, at) => (at === 0 ? member : [',', ...member])), newline, close]
}

function renderString(text: string, isLink: boolean): Html {
  const isShort = text.length <= maxTextLength
  const shown = isShort
    ? JSON.stringify(text)
    : `${JSON.stringify(text.slice(0, maxTextLength).toWellFormed())} … ${text.length.toLocaleString('en')} characters`
  const isAddress = (isLink && /^\/(?!\/)/.test(text)) || isWebAddress(text)
  const content = h('bdi', { class: 'string' }, shown)
  return isAddress ? h('a', { href: text, rel: 'noreferrer noopener' }, content) : content
}
