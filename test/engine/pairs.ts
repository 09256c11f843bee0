/** A link between a row of the near end and a row of the far end, by their numbers. */
export type Pair = readonly [near: number, far: number]

/** Whether each end of a link leads to many. */
export type Many = readonly [near: boolean, far: boolean]

/** The same links as the far end has them. */
export function reversed(pairs: readonly Pair[]): Pair[] {
  return pairs.map(([one, other]) => [other, one])
}

/** The numbers a row is linked to, ascending. */
export function linkedTo(pairs: readonly Pair[], n: number): number[] {
  return pairs
    .filter(([one]) => one === n)
    .map(([, other]) => other)
    .sort((one, other) => one - other)
}

/** The links and some more: an end that leads to at most one lets go of what it led to. */
export function withPairs(pairs: readonly Pair[], added: readonly Pair[], many: Many): Pair[] {
  const [isNearMany, isFarMany] = many
  return added.reduce<Pair[]>(
    (all, [one, other]) => {
      const distinct = all.filter(([near, far]) => {
        if (near === one && far === other) return false
        return (isNearMany || near !== one) && (isFarMany || far !== other)
      })
      return [...distinct, [one, other]]
    },
    [...pairs],
  )
}

/** The links without those between a row and some others. */
export function withoutPairs(pairs: readonly Pair[], n: number, others: readonly number[]): Pair[] {
  return pairs.filter(([one, other]) => one !== n || !others.includes(other))
}

/** The numbers that paths of 1 to `length` links reach, to the other end, back, and so on. */
export function reached(
  pairs: readonly Pair[],
  from: readonly number[],
  length: number,
): number[][] {
  if (length === 0) return []
  const next = [...new Set(from.flatMap((n) => linkedTo(pairs, n)))].sort((a, b) => a - b)
  return [next, ...reached(reversed(pairs), next, length - 1)]
}
