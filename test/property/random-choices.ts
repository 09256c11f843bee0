/** Random choices that a seed determines. */
export interface Random {
  /** A whole number below a limit. */
  below(limit: number): number
  pick<Value>(values: readonly Value[]): Value
  /** True with a probability. */
  chance(probability: number): boolean
}

/** Creates the random choices of a seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    // A list of choices is never empty.
    pick: <Value>(values: readonly Value[]) => values[below(values.length)] as Value,
    chance: (probability) => next() < probability,
  }
}
