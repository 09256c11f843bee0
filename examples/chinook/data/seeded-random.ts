/** A pseudorandom number generator. */
export interface Random {
  /** An integer between two bounds, both inclusive. */
  between(minimum: number, maximum: number): number
  /** True with a probability in percent. */
  percent(chance: number): boolean
  pick<T>(list: readonly T[]): T
  /** A copy of the list in random order. */
  shuffle<T>(list: readonly T[]): T[]
}

/** Creates a generator (mulberry32) whose numbers depend only on the seed. */
export function createSeededRandom(seed: number): Random {
  let state = seed
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
  return {
    between: (minimum, maximum) => minimum + below(maximum - minimum + 1),
    percent: (chance) => below(100) < chance,
    pick(list) {
      for (const picked of list.slice(below(list.length))) return picked
      throw new Error('The list is empty')
    },
    shuffle(list) {
      const left = [...list]
      return list.flatMap(() => left.splice(below(left.length), 1))
    },
  }
}
