import irregularPlurals from 'irregular-plurals'
import type { Name } from './name.ts'

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
