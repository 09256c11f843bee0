import type { StoredColumn, StoredTable } from 'lapidary'

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

/**
 * Returns the first candidate that was not returned before. If all candidates are used, it appends a number to the last.
 * @param separator - written between the candidate and the number
 */
export type TakeName = (candidates: readonly string[], separator?: string) => string

/**
 * Makes a function that returns each name only once.
 * @param reserved - names that it never returns
 */
export function uniqueNames(reserved: Iterable<string> = []): TakeName {
  const used = new Set(reserved)
  return (candidates, separator = '') => {
    const last = candidates.at(-1) ?? ''
    let name = candidates.find((candidate) => !used.has(candidate))
    for (let number = 2; name === undefined; number += 1) {
      const numbered = `${last}${separator}${number}`
      if (!used.has(numbered)) name = numbered
    }
    used.add(name)
    return name
  }
}

/** The last words of columns with the names of other columns or of settings. */
const nameWords = new Set(
  'key keys name field column attribute attr property prop setting option param parameter variable k'.split(
    ' ',
  ),
)
/** The last words of columns with the values beside such a name. */
const valueWords = new Set('value values val vals v old new before after'.split(' '))
/** Words of tables whose values are texts for readers, also of the key `login.password`. */
const textWords = new Set('translation translations i18n l10n locale locales dictionary'.split(' '))

const lastWord = ({ name }: StoredColumn) => parseName(name).words.at(-1) ?? ''

/** Lists the columns whose texts may be the names of the values beside them. */
export function listNameColumns({
  name,
  columns,
}: Pick<StoredTable, 'name' | 'columns'>): StoredColumn[] {
  const all = [...columns.values()]
  const isOfTexts = parseName(name).words.some((word) => textWords.has(word))
  if (isOfTexts || listValueColumns({ columns }).length === 0) return []
  return all.filter((column) => nameWords.has(lastWord(column)))
}

/** Lists the columns with the values of which such a column has the names. */
export function listValueColumns({ columns }: Pick<StoredTable, 'columns'>): StoredColumn[] {
  return [...columns.values()].filter((column) => valueWords.has(lastWord(column)))
}
