/** The median of some values, and the quartiles between which half of them lie. */
export interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** Computes the median and the quartiles. */
export function computeSpread(values: readonly number[]): Spread {
  const sorted = values.toSorted((left, right) => left - right)
  const quantile = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
  return { median: quantile(0.5), low: quantile(0.25), high: quantile(0.75) }
}

/** Computes the median. */
export function computeMedian(values: readonly number[]): number {
  return computeSpread(values).median
}

/** The difference of two samples. */
interface SampleDifference {
  /**
   * The probability that a value of the one sample is greater than one of the other, minus that of the opposite (Cliff's delta): 0 for
   * equal distributions, ±1 if no value of one lies among those of the other.
   */
  readonly effect: number
  /** The same in standard deviations of equal distributions: beyond ±3 by chance in one of 400 comparisons. */
  readonly z: number
}

/** Compares two samples by the ranks of their values: the Mann–Whitney U test, with its normal approximation. */
export function compareSamples(one: readonly number[], other: readonly number[]): SampleDifference {
  const values = [
    ...one.map((value) => ({ value, isOne: true })),
    ...other.map((value) => ({ value, isOne: false })),
  ].sort((left, right) => left.value - right.value)
  let rankSum = 0
  for (let start = 0; start < values.length; ) {
    let end = start
    while (end < values.length && values[end]?.value === values[start]?.value) end += 1
    // Equal values share the mean of their ranks, which are counted from 1.
    const rank = (start + end + 1) / 2
    for (const { isOne } of values.slice(start, end)) if (isOne) rankSum += rank
    start = end
  }
  const pairs = one.length * other.length
  const greater = rankSum - (one.length * (one.length + 1)) / 2
  return {
    effect: (2 * greater) / pairs - 1,
    z: (greater - pairs / 2) / Math.sqrt((pairs * (one.length + other.length + 1)) / 12),
  }
}
