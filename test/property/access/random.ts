/** Random choices that follow from a seed. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A whole number from 0 to below `limit`: mulberry32. */
  int(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }

  chance(probability: number): boolean {
    return this.int(1_000_000) < probability * 1_000_000
  }

  pick<Value>(values: readonly Value[]): Value {
    const value = values[this.int(values.length)]
    if (value === undefined) throw new Error('nothing to pick from')
    return value
  }

  /** Some of the values, in their order. */
  some<Value>(values: readonly Value[], probability = 0.5): Value[] {
    return values.filter(() => this.chance(probability))
  }
}
