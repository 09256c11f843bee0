import type { Name } from './words.ts'

/** Words whose two forms no rule makes; a plural that is not the usual one is read, and written where it is named here. */
const irregular: readonly (readonly [one: string, many: string])[] = words(`
  child children, foot feet, goose geese, man men, mouse mice, ox oxen, tooth teeth, woman women,
  calf calves, elf elves, half halves, knife knives, leaf leaves, life lives, loaf loaves, scarf scarves, self selves,
  shelf shelves, thief thieves, wife wives, wolf wolves,
  echo echoes, hero heroes, potato potatoes, tomato tomatoes, veto vetoes,
  criterion criteria, curriculum curricula, phenomenon phenomena, quiz quizzes,
  axis axes, appendix appendices, codex codices, matrix matrices, vertex vertices,
  cookie cookies, calorie calories, die dies, genie genies, lie lies, movie movies, pie pies, selfie selfies, tie ties,
  zombie zombies, cache caches, headache headaches, niche niches, shoe shoes`)

/** Plurals that are read but not made. */
const readOnly: readonly (readonly [one: string, many: string])[] = words(
  'person people, index indices',
)

/** Words that are the same for one and for many, or that nobody counts. */
const same: readonly string[] = `
  advice aircraft analytics chaos data deer equipment feedback fish furniture hardware homework information inventory
  luggage media metadata mathematics money moose music news physics politics research rice series sheep software species
  staff traffic`
  .trim()
  .split(/\s+/)

/** Words for one that end like words for many. */
const singularEnds =
  /(?:ss|us|sis|xis|[^aeiouy]is)$|^(?:alias|atlas|bias|canvas|christmas|gas|iris|lens|pancreas|always|[^aeiouy]+s)$/

/** Words for many that add `es` to a word which ends in a hissing sound. */
const hissing =
  /(?:ss|sh|ch|x|zz|alias|atlas|bias|canvas|gas|iris|lens|[blmnrt]us|pus|sus|cus|dius|nius|plus)es$/

/** The word for one of what a word means; the same where that cannot be told. */
export function singular(word: string): string {
  const known = [...irregular, ...readOnly].find(([, many]) => many === word)?.[0]
  if (known !== undefined) return known
  if (same.includes(word) || singularEnds.test(word)) return word
  if (/[^aeiou]ies$/.test(word)) return word.replace(/ies$/, 'y')
  if (/(?:analy|cri|diagno|^the|hypothe|parenthe|synop)ses$/.test(word))
    return word.replace(/es$/, 'is')
  if (hissing.test(word)) return word.replace(/es$/, '')
  return word.length > 1 && word.endsWith('s') ? word.slice(0, -1) : word
}

/** The word for many of what a word means; the same where it is one already. */
export function plural(word: string): string {
  const known = irregular.find(([one]) => one === word)?.[1]
  if (known !== undefined) return known
  if (same.includes(word) || singular(word) !== word) return word
  if (/sis$/.test(word)) return word.replace(/is$/, 'es')
  if (/[^aeiou]y$/.test(word)) return word.replace(/y$/, 'ies')
  return /(?:s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`
}

/** A name for one: its last word counts. */
export function singularName({ words: all, style }: Name): Name {
  return { words: all.with(-1, singular(all.at(-1) ?? '')), style }
}

/** A name for many: its last word counts. */
export function pluralName({ words: all, style }: Name): Name {
  return { words: all.with(-1, plural(all.at(-1) ?? '')), style }
}

function words(text: string): (readonly [one: string, many: string])[] {
  return text.split(',').map((pair) => {
    const [one = '', many = ''] = pair.trim().split(' ')
    return [one, many] as const
  })
}
