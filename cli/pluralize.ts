import type { Name } from './name.ts'

/** A singular and its plural. */
type Pair = readonly [singular: string, plural: string]

/** Words that the rules below would get wrong, in both directions. */
const irregular: readonly Pair[] = parsePairs(`
  child children, foot feet, goose geese, man men, mouse mice, ox oxen, tooth teeth, woman women,
  calf calves, elf elves, half halves, knife knives, leaf leaves, life lives, loaf loaves, scarf scarves, self selves,
  shelf shelves, thief thieves, wife wives, wolf wolves,
  echo echoes, hero heroes, potato potatoes, tomato tomatoes, veto vetoes,
  criterion criteria, curriculum curricula, phenomenon phenomena, quiz quizzes,
  axis axes, appendix appendices, codex codices, matrix matrices, vertex vertices,
  cookie cookies, calorie calories, die dies, genie genies, lie lies, movie movies, pie pies, selfie selfies, tie ties,
  zombie zombies, cache caches, headache headaches, niche niches, shoe shoes`)

/** Irregular plurals that `singularize` knows and `pluralize` does not make: two `person` rows are `persons`. */
const singularOnly: readonly Pair[] = parsePairs('person people, index indices')

/** Words whose singular and plural are equal, and words without a plural. */
const invariant: readonly string[] = `
  advice aircraft analytics chaos data deer equipment feedback fish furniture hardware homework information inventory
  luggage media metadata mathematics money moose music news physics politics research rice series sheep software species
  staff traffic`
  .trim()
  .split(/\s+/)

/** Singulars that end like plurals. */
const singularEnds =
  /(?:ss|us|sis|xis|[^aeiouy]is)$|^(?:alias|atlas|bias|canvas|christmas|gas|iris|lens|pancreas|always|[^aeiouy]+s)$/

/** Plurals that add `es` because the singular ends with a sibilant. */
const sibilantPlural =
  /(?:ss|sh|ch|x|zz|alias|atlas|bias|canvas|gas|iris|lens|[blmnrt]us|pus|sus|cus|dius|nius|plus)es$/

/** Returns the singular of a word; the word itself when it is none that the rules know as a plural. */
export function singularize(word: string): string {
  const known = [...irregular, ...singularOnly].find(([, plural]) => plural === word)?.[0]
  if (known !== undefined) return known
  if (invariant.includes(word) || singularEnds.test(word)) return word
  if (/[^aeiou]ies$/.test(word)) return word.replace(/ies$/, 'y')
  if (/(?:analy|cri|diagno|^the|hypothe|parenthe|synop)ses$/.test(word))
    return word.replace(/es$/, 'is')
  if (sibilantPlural.test(word)) return word.replace(/es$/, '')
  return word.length > 1 && word.endsWith('s') ? word.slice(0, -1) : word
}

/** Returns the plural of a word; the word itself when it is a plural. */
export function pluralize(word: string): string {
  const known = irregular.find(([singular]) => singular === word)?.[1]
  if (known !== undefined) return known
  if (invariant.includes(word) || singularize(word) !== word) return word
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

function parsePairs(text: string): Pair[] {
  return text.split(',').map((pair) => {
    const [singular = '', plural = ''] = pair.trim().split(' ')
    return [singular, plural]
  })
}
