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
