/** A name taken apart, so that it can be written in other ways. */
export interface Name {
  /** In lower case, e.g. `['invoice', 'line']`. */
  readonly words: readonly string[]
  /** How it was written: with capitals, or with underscores between words. */
  readonly style: 'camel' | 'snake'
}

/** Takes a name of the database apart: `InvoiceLine`, `INVOICE_LINE` and `invoice line` are two words each. */
export function nameOf(text: string): Name {
  const apart = text
    .normalize('NFC')
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
  const words = apart.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu)
  return { words: words ?? ['unnamed'], style: /\p{Lu}/u.test(text) ? 'camel' : 'snake' }
}

/** Several names as one; it has capitals as soon as one of them has. */
export function joined(...names: readonly Name[]): Name {
  const isCamel = names.some(({ style }) => style === 'camel')
  return { words: names.flatMap(({ words }) => words), style: isCamel ? 'camel' : 'snake' }
}

/** A name of these words in the style of another. */
export function inStyleOf({ style }: Name, ...words: readonly string[]): Name {
  return { words, style }
}

/**
 * Writes a name as a member of documents: `invoiceLine`, as jsonapi.org/recommendations has it, or `invoice_line` where
 * the database writes like that.
 */
export function memberOf({ words, style }: Name): string {
  return style === 'camel' ? camelOf(words) : words.join('_')
}

/** Writes words as an identifier of TypeScript, e.g. `invoiceLine`. */
export function identifierOf({ words }: Name): string {
  const name = camelOf(words)
  return /^\p{N}/u.test(name) ? `_${name}` : name
}

/** Writes words as part of a path or the name of a file: `invoice-line`; in plain letters, whatever they were in. */
export function kebabOf({ words }: Name): string {
  const plain = words.map((word) =>
    word
      .replaceAll('ß', 'ss')
      .replaceAll('æ', 'ae')
      .replaceAll('ø', 'o')
      .normalize('NFD')
      .replace(/[^a-z0-9]/g, ''),
  )
  const text = plain.filter((word) => word !== '').join('-')
  return /[a-z]/.test(text) ? text : ['table', text].filter((word) => word !== '').join('-')
}

function camelOf(words: readonly string[]): string {
  return words
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('')
}
