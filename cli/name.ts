/** A name of the database, split into words so that it can be written in other styles. */
export interface Name {
  /** In lower case, e.g. `['invoice', 'line']`. */
  readonly words: readonly string[]
  /** `camel` when the original contains capital letters, else `snake`. */
  readonly style: 'camel' | 'snake'
}

/** Splits a name of the database into words: `InvoiceLine`, `INVOICE_LINE` and `invoice line` have two words each. */
export function parseName(text: string): Name {
  const spaced = text
    .normalize('NFC')
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
  const words = spaced.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu)
  return { words: words ?? ['unnamed'], style: /\p{Lu}/u.test(text) ? 'camel' : 'snake' }
}

/** Concatenates names. The result is in camel case if one of them is. */
export function joinNames(...names: readonly Name[]): Name {
  const isCamel = names.some(({ style }) => style === 'camel')
  return { words: names.flatMap(({ words }) => words), style: isCamel ? 'camel' : 'snake' }
}

/** Makes a name of these words, in the style of another name. */
export function nameInStyleOf({ style }: Name, ...words: readonly string[]): Name {
  return { words, style }
}

/**
 * Writes a name as a member name of documents: `invoiceLine` in camel case, `invoice_line` in snake case.
 * @see https://jsonapi.org/recommendations/#naming
 */
export function toMemberName({ words, style }: Name): string {
  return style === 'camel' ? toCamelCase(words) : words.join('_')
}

/** Writes a name as a TypeScript identifier, e.g. `invoiceLine`. */
export function toIdentifier({ words }: Name): string {
  const identifier = toCamelCase(words)
  return /^\p{N}/u.test(identifier) ? `_${identifier}` : identifier
}

/**
 * Writes a name as a URL segment or a file name, e.g. `invoice-line`. The result has only the letters a to z, digits
 * and hyphens; a name without such letters becomes `table`.
 */
export function toKebabCase({ words }: Name): string {
  const asciiWords = words.map((word) =>
    word
      .replaceAll('ß', 'ss')
      .replaceAll('æ', 'ae')
      .replaceAll('ø', 'o')
      .normalize('NFD')
      .replace(/[^a-z0-9]/g, ''),
  )
  const text = asciiWords.filter((word) => word !== '').join('-')
  return /[a-z]/.test(text) ? text : ['table', text].filter((word) => word !== '').join('-')
}

function toCamelCase(words: readonly string[]): string {
  return words
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('')
}
