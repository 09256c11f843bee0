import irregularPlurals from 'irregular-plurals'
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

/** A singular and its plural. */
type Pair = readonly [singular: string, plural: string]

/** Plurals that `pluralize` makes in another way than the library: two `person` rows are `persons`. */
const ownPlurals: readonly Pair[] = parsePairs(`
  base bases, person persons, index indices,
  cookie cookies, calorie calories, lie lies, movie movies, pie pies, selfie selfies, tie ties, zombie zombies,
  cache caches, headache headaches, niche niches, shoe shoes`)

/** Plurals that `singularize` knows and `pluralize` does not make. */
const otherPlurals: readonly Pair[] = parsePairs(`
  person people, apex apices, appendix appendices, cactus cacti, formula formulae, mosquito mosquitoes,
  syllabus syllabi`)

/** Words whose singular and plural are equal, words without a plural, and plurals that count as singulars. */
const invariant: readonly string[] = `
  analytics chaos data feedback furniture inventory luggage media metadata mathematics money staff`
  .trim()
  .split(/\s+/)

/** Compounds of nouns with an irregular plural, such as `salesperson`. */
const compounds: readonly (readonly [singularEnd: RegExp, pluralEnd: RegExp, Pair])[] = [
  [/.person$/, /.people$/, ['person', 'people']],
  [/.child$/, /.children$/, ['child', 'children']],
  [/.woman$/, /.women$/, ['woman', 'women']],
]

/** The singulars of irregular plurals. */
const singulars: ReadonlyMap<string, string> = new Map(
  [...irregularPlurals, ...otherPlurals, ...ownPlurals].map(([singular, plural]) => [
    plural,
    singular,
  ]),
)
/** The plurals of irregular singulars. */
const plurals: ReadonlyMap<string, string> = new Map([...irregularPlurals, ...ownPlurals])

/** Singulars that end like plurals. */
const singularEnds =
  /(?:ss|us|sis|xis|[^aeiouy]is)$|^(?:alias|atlas|bias|canvas|christmas|gas|iris|lens|pancreas|always|[^aeiouy]+s)$/

/** Plurals that add `es` because the singular ends with a sibilant. */
const sibilantPlural =
  /(?:ss|sh|ch|x|zz|alias|atlas|bias|canvas|gas|iris|lens|[blmnrt]us|pus|sus|cus|dius|nius|plus)es$/

/** Words that are no nouns in the singular: abbreviations such as `crs` and `tls`, and participles such as `archived`. */
const withoutPlural = /^[^aeiouy]+s$|^(?!.*(?:eed|bed|shed|sled|ped|hundred)$).{4,}ed$/

/** Returns the singular of a word; the word itself when it is none that the rules know as a plural. */
export function singularize(word: string): string {
  if (invariant.includes(word)) return word
  const known = singulars.get(word)
  if (known !== undefined) return known
  const compound = compounds.find(([, pluralEnd]) => pluralEnd.test(word))?.[2]
  if (compound !== undefined) return replaceEnd(word, compound[1], compound[0])
  if (singularEnds.test(word)) return word
  if (/[^aeiou]ies$/.test(word)) return word.replace(/ies$/, 'y')
  if (/(?:analy|cri|diagno|^the|hypothe|parenthe|synop)ses$/.test(word))
    return word.replace(/es$/, 'is')
  if (sibilantPlural.test(word)) return word.replace(/es$/, '')
  return word.length > 1 && word.endsWith('s') ? word.slice(0, -1) : word
}

/** Returns the plural of a word; the word itself when it is a plural. */
export function pluralize(word: string): string {
  if (invariant.includes(word)) return word
  const known = plurals.get(word)
  if (known !== undefined) return known
  if (withoutPlural.test(word) || singularize(word) !== word) return word
  const compound = compounds.find(([singularEnd]) => singularEnd.test(word))?.[2]
  if (compound !== undefined) return replaceEnd(word, ...compound)
  if (/sis$/.test(word)) return word.replace(/is$/, 'es')
  if (/[^aeiou]y$/.test(word)) return word.replace(/y$/, 'ies')
  return /(?:s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`
}

/** Replaces the last word of a name by its singular. */
export function singularizeName({ words, style }: Name): Name {
  return { words: words.with(-1, singularize(words.at(-1) ?? '')), style }
}

/** Replaces the last word of a name by its plural. */
export function pluralizeName({ words, style }: Name): Name {
  return { words: words.with(-1, pluralize(words.at(-1) ?? '')), style }
}

function replaceEnd(word: string, end: string, replacement: string): string {
  return word.slice(0, -end.length) + replacement
}

function parsePairs(text: string): Pair[] {
  return text.split(',').map((pair) => {
    const [singular = '', plural = ''] = pair.trim().split(' ')
    return [singular, plural]
  })
}
