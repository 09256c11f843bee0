/** Chance that comes out the same in every run. */
export interface Random {
  /** A whole number from the least to the most, both included. */
  between(least: number, most: number): number
  /** Whether something happens that happens so many times in a hundred. */
  percent(chance: number): boolean
  pick<T>(list: readonly T[]): T
  /** The list in another order. */
  shuffle<T>(list: readonly T[]): T[]
}

/** Starts a row of numbers (mulberry32) that only the seed decides on. */
export function seededRandom(seed: number): Random {
  let state = seed
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
  return {
    between: (least, most) => least + below(most - least + 1),
    percent: (chance) => below(100) < chance,
    pick(list) {
      for (const picked of list.slice(below(list.length))) return picked
      throw new Error('There is nothing to pick from')
    },
    shuffle(list) {
      const left = [...list]
      return list.flatMap(() => left.splice(below(left.length), 1))
    },
  }
}
