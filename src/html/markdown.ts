import { decodeNamedCharacterReference } from 'decode-named-character-reference'
import { lexer, type Token, type Tokens } from 'marked'
import { type Html, h } from './element.ts'

/**
 * Renders a description, which is Markdown. HTML in it stays text, character references become the
 * characters, an image is its text, and only `http` and `https` addresses and paths become links.
 *
 * @param attributes - those of the element around it
 */
export function renderMarkdown(
  markdown: string,
  attributes: Readonly<{ id?: string; class?: string }> = {},
): Html {
  // `dir` isolates the text from its surroundings, as `bdi` does.
  return h('div', { ...attributes, dir: 'auto' }, lexer(markdown).map(renderToken))
}

/** Removes the marks of Markdown from a description, for the title of an element. */
export function toPlainText(markdown: string): string {
  return lexer(markdown).map(formatToken).join('').trim()
}

function renderToken(token: Token): Html {
  const inner = 'tokens' in token ? token.tokens?.map(renderToken) : undefined
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'br':
    case 'hr':
      return h(token.type, null)
    case 'paragraph':
      return h('p', null, inner)
    case 'heading':
      return h('p', null, h('strong', null, inner))
    case 'list':
      return h(token.ordered ? 'ol' : 'ul', null, token.items.map(renderToken))
    case 'list_item':
      return h('li', null, inner)
    case 'blockquote':
    case 'strong':
    case 'em':
    case 'del':
      return h(token.type, null, inner)
    case 'codespan':
      return h('code', null, token.text)
    case 'code':
      return h('pre', null, h('code', null, token.text))
    case 'link':
      return renderLink(token, inner)
    case 'text':
      return inner ?? formatToken(token)
    case 'escape':
    case 'image':
      return formatToken(token)
    default:
      return token.raw
  }
}

function renderLink(token: Tokens.Link | Tokens.Generic, inner: Html): Html {
  const { href, autolink } = token
  const address = autolink ? href : decodeCharacterReferences(href)
  const content = autolink ? formatToken(token) : inner
  return isSafe(address) ? h('a', { href: address, rel: 'noreferrer' }, content) : content
}

function formatToken(token: Token): string {
  if (token.type === 'list') return token.items.map(formatToken).join('\n')
  if (token.type === 'space' || token.type === 'br') return '\n'
  // An address that is its own text, such as `<https://example.com>`, has no character references.
  if (token.type === 'link' && token.autolink) return token.text
  if ('tokens' in token && token.tokens !== undefined) return token.tokens.map(formatToken).join('')
  if (token.type === 'text' || token.type === 'image') return decodeCharacterReferences(token.text)
  return 'text' in token ? token.text : token.raw
}

/** Whether a link leads to a page: a path of this server, or an address with `http` or `https`. */
function isSafe(href: string): boolean {
  return /^https?:$/.test(URL.parse(href, 'http://localhost')?.protocol ?? '')
}

/**
 * Decodes the character references of a text, such as `&lt;`, `&#39;` and `&#x27;`, as CommonMark says: an unknown name stays as
 * it is, and a number without a character becomes U+FFFD.
 *
 * @see https://spec.commonmark.org/0.31.2/#entity-and-numeric-character-references
 */
function decodeCharacterReferences(text: string): string {
  return text.replace(reference, (whole, hex?: string, decimal?: string, name = '') => {
    if (hex !== undefined) return decodeNumber(Number.parseInt(hex, 16))
    if (decimal !== undefined) return decodeNumber(Number(decimal))
    return decodeNamedCharacterReference(name) || whole
  })
}

const reference = /&(?:#[xX]([\dA-Fa-f]{1,6})|#(\d{1,7})|([A-Za-z][\dA-Za-z]*));/g

function decodeNumber(point: number): string {
  const isCharacter = point > 0 && point <= 0x10ffff
  return isCharacter ? String.fromCodePoint(point).toWellFormed() : '\ufffd'
}
